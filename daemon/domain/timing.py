"""How a job deals with the instants it owes: catch-up, overlap, calendar, and when it starts at the latest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from .digests import digest
from .public_holidays import holiday

WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
SATURDAY = 5


class CatchUp(StrEnum):
    """Which of several owed instants run, whatever kept them from running."""

    LATEST = "latest"
    NONE = "none"
    ALL = "all"


class Overlap(StrEnum):
    """What becomes of an instant while an earlier run of the job still goes on."""

    SKIP = "skip"
    QUEUE = "queue"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Blackout:
    """Local times from `start` up to `end`, over midnight where `end` is not later; on `days`, or on every day."""

    start: time
    end: time
    days: frozenset[int] = frozenset()
    """0 is Monday; the day on which the window begins."""

    def covers(self, local: datetime) -> bool:
        at, today = local.time(), local.weekday()
        if self.start < self.end:
            return self.start <= at < self.end and self._on(today)
        begun_yesterday = at < self.end and self._on((today - 1) % 7)
        return begun_yesterday or (at >= self.start and self._on(today))

    def _on(self, day: int) -> bool:
        return not self.days or day in self.days


@dataclass(frozen=True, slots=True)
class Calendar:
    """On which local dates and at which local times a job may run; `include` wins over everything but a blackout."""

    business_days: bool = False
    holidays: str = ""
    """Country and, after a dash, its part: DE, DE-BE."""
    include: frozenset[date] = frozenset()
    exclude: frozenset[date] = frozenset()
    blackouts: tuple[Blackout, ...] = ()

    def closed(self, local: datetime) -> bool:
        """Nothing may start at that local time, whatever it stands for."""
        return any(blackout.covers(local) for blackout in self.blackouts)

    def objection(self, local: datetime) -> str:
        """Why nothing may start at that local time; empty where it may."""
        day = local.date()
        if self.closed(local):
            return f"{local:%H:%M} lies in a blackout window"
        if day in self.include:
            return ""
        if day in self.exclude:
            return f"{day} is an excluded date"
        if self.business_days and day.weekday() >= SATURDAY:
            return f"{day} is a {day:%A}"
        name = holiday(self.holidays, day) if self.holidays else ""
        return f"{day} is a holiday: {name} ({self.holidays})" if name else ""


@dataclass(frozen=True, slots=True)
class Timing:
    """A job's rules for its own instants."""

    catch_up: CatchUp = CatchUp.LATEST
    window: timedelta = timedelta(days=7)
    """What is owed for longer is missed."""
    limit: int = 10
    """How many owed instants `all` runs at most; the older ones are missed."""
    overlap: Overlap = Overlap.SKIP
    queue: int = 1
    """How many instants may wait for an earlier run to end."""
    start_within: timedelta | None = None
    """A run that has not begun by then does not begin any more."""
    finish_within: timedelta | None = None
    """A run that has not ended by then is told about."""
    jitter: timedelta = timedelta(0)
    priority: int = 0
    """Of what is due at once, the higher goes first."""
    calendar: Calendar = Calendar()

    def delay(self, job: str) -> timedelta:
        """Part of `jitter`: the same for a job whenever it is asked for, different for different jobs."""
        if not self.jitter:
            return timedelta(0)
        return self.jitter * (int(digest(job)[:8], 16) / 0xFFFFFFFF)
