"""Whether a job is later than it may be: it has not begun, or has not ended, by its time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .job import Job
from .ledger import LATE
from .schedule import due_after


@dataclass(frozen=True, slots=True)
class Prospect:
    """`upcoming` is None for a job that only runs on request; `owed` is an instant that nobody has accounted for."""

    upcoming: datetime | None = None
    owed: datetime | None = None


def prospect(job: Job, watermark: datetime | None, now: datetime) -> Prospect:
    """One look at the schedule where nothing is owed. An instant counts as owed once its grace is over."""
    if job.schedule is None:
        return Prospect()
    first = next(due_after(job.schedule, min(watermark or now, now)), None)
    if first is None or first > now:
        return Prospect(upcoming=first)
    late = first + job.timing.delay(job.id) + LATE < now
    return Prospect(next(due_after(job.schedule, now), None), first if late else None)


def runs_too_long(job: Job, instant: datetime, now: datetime) -> bool:
    """An unfinished run for that instant should have ended by now."""
    within = job.timing.finish_within
    return within is not None and instant + within < now
