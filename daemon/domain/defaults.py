"""Every default limit of the product, in one place. docs/configuration.md is checked against this table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how patiently a step is tried again: `first` doubles up to `cap`, with jitter.

    With `within`, what fails because the other side is down is tried again for so long, however often that is.
    """

    attempts: int = 3
    first: timedelta = timedelta(seconds=2)
    cap: timedelta = timedelta(seconds=60)
    within: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take. `active` counts the time that tools and deciders work; `deadline` counts everything."""

    active: timedelta = timedelta(minutes=30)
    deadline: timedelta = timedelta(hours=24)
    steps: int = 50
    parallel: int = 4
    crashes: int = 3
    answer_within: timedelta = timedelta(hours=4)


TOOL_TIMEOUT = timedelta(seconds=60)
DECISION_TIMEOUT = timedelta(seconds=20)
SETTLE = timedelta(seconds=10)
"""How long after an external attempt's deadline its receiver may still be catching up."""

RETENTION = timedelta(days=90)
"""How long a run is kept after its end; what it delivered and that it ran is kept for good."""

INLINE_OUTPUT_BYTES = 8 * 1024
SUMMARY_CHARS = 200
MESSAGE_CHARS = 500
"""A failure's message is cut here before it is stored; the attempt's tail keeps more."""
