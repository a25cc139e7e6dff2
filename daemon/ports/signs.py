"""How things stand, for whoever measures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..domain.pause import Pause


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the store says of how things stand, as one bounded look; for metrics and health, never to decide anything.

    `outbox` counts effects that are meant and not known to be delivered, of runs that have not ended.
    """

    watermarks: Mapping[str, datetime] = field(default_factory=dict)
    open_runs: Mapping[str, int] = field(default_factory=dict)
    open_since: Mapping[str, datetime] = field(default_factory=dict)
    """Since when each job's oldest unfinished run has been wanted; see `wanted_since`."""
    escalations: int = 0
    oldest_escalation: datetime | None = None
    outbox: int = 0
    oldest_outbox: datetime | None = None
    alerts: int = 0
    pauses: tuple[Pause, ...] = ()


@dataclass(frozen=True, slots=True)
class LastRuns:
    """How the newest runs of a job came out."""

    success: datetime | None = None
    seconds: float | None = None
    """How long the newest that ended took."""


class Signs(Protocol):
    """What is measured by looking. Raises StoreError."""

    def vitals(self) -> Vitals: ...

    def last_runs(self, jobs: Collection[str]) -> Mapping[str, LastRuns]:
        """Of each of these jobs."""
        ...
