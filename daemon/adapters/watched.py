"""What whoever measures may look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..domain.health import Pulse
from ..domain.job import Job
from ..ports import Clock, Signs


@dataclass(frozen=True, slots=True)
class Watched:
    """What there is to look at, as calls that are cheap and may be made from any thread."""

    clock: Clock
    signs: Callable[[], Signs]
    jobs: Callable[[], Mapping[str, Job]]
    pulse: Callable[[], Pulse]
    in_hand: Callable[[], int]
    failures: Callable[[], int]
    """Of observers."""
