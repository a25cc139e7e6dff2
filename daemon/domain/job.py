"""A job is plain data from the configuration; an occurrence is one instant at which it was due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from .defaults import RETENTION
from .llm import Llm
from .model import DataDate, Json
from .plan import Plan
from .schedule import Schedule
from .timing import Timing


@dataclass(frozen=True, slots=True)
class Dating:
    """What fixes the days that a job reports on: when it is due, and the zone whose days they are."""

    schedule: Schedule
    timezone: str


@dataclass(frozen=True, slots=True)
class Job:
    """A definition with its compiled plan. `broken` says why it cannot run now (a tool it uses is broken)."""

    id: str
    plan: Plan
    schedule: Schedule | None
    timezone: str
    description: str = ""
    owner: str = ""
    runbook: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    """File and line of the definition, for messages."""
    broken: str = ""
    retention: timedelta = RETENTION
    """How long a run is kept after its end."""
    secrets: tuple[str, ...] = field(default=())
    """Names of the configured secrets that its steps declare."""
    timing: Timing = Timing()
    after: str = ""
    """The job whose success makes this one due, for the same data date."""
    head: Dating | None = None
    """Of the job at the head of its chain; None where that one runs on request, or where it follows nobody."""
    model: Llm | None = None
    """What decides beside the rule; nothing where it is None."""

    @property
    def dating(self) -> Dating | None:
        """None for a job whose runs are dated by whoever asks for them."""
        return Dating(self.schedule, self.timezone) if self.schedule else self.head

    @property
    def days_in(self) -> str:
        """The zone whose days it reports on."""
        return self.dating.timezone if self.dating else self.timezone


class Disposition(StrEnum):
    """How a due instant was accounted for. Final; how the run itself ended is the run's."""

    STARTED = "started"
    LATE_STARTED = "late_started"
    COALESCED_INTO = "coalesced_into"
    SKIPPED_OVERLAP = "skipped_overlap"
    SKIPPED_PAUSED = "skipped_paused"
    SKIPPED_CALENDAR = "skipped_calendar"
    MISSED_EXPIRED = "missed_expired"
    BLOCKED_INVALID = "blocked_invalid"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One due instant with the date it reports on, resolved once."""

    job: str
    instant: datetime
    data: DataDate


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """An occurrence with its one final disposition. `run` is set where a run carries it."""

    occurrence: Occurrence
    disposition: Disposition
    reason: str = ""
    run: str | None = None
    recorded_at: datetime | None = None
    since: datetime | None = None
    """Where there were too many to write down: the row stands for all due instants from `since` on."""
    evidence: Mapping[str, Json] = field(default_factory=dict)
    """What the disposition rests on, as plain JSON."""
