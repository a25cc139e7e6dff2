"""When a job is due next, by when it must have ended, and whether it is later than it may be. Timestamps, not ages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from .job import Job
from .ledger import LATE
from .schedule import due_after


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a job beside its definition. `open`: since when its oldest unfinished run has been wanted."""

    watermark: datetime | None = None
    """All due instants up to here are accounted for."""
    open: datetime | None = None
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Deadline:
    """None for a job that only runs on request and has nothing to do."""

    next_due: datetime | None = None
    ends_by: datetime | None = None
    """When the run in hand, the instant that is owed, or else the next one must have come to its end."""
    starts_by: datetime | None = None
    """When the instant that is owed, or else the next one, must have been accounted for."""
    owed: datetime | None = None
    """The oldest instant that came and that nobody has accounted for."""

    def overdue(self, now: datetime) -> bool:
        return any(at is not None and at < now for at in (self.ends_by, self.starts_by))


def deadline(job: Job, standing: Standing, now: datetime) -> Deadline:
    """A paused job owes nothing, but a run in hand has its time all the same."""
    owed, upcoming = (None, None) if job.schedule is None else _instants(job, standing, now)
    wanted = None if standing.paused else owed or upcoming
    in_hand = standing.open or wanted
    return Deadline(
        next_due=upcoming,
        ends_by=in_hand and in_hand + patience(job),
        starts_by=wanted and wanted + grace(job),
        owed=None if standing.paused else owed,
    )


def patience(job: Job) -> timedelta:
    """How long after its instant a run of the job may take in all."""
    return job.timing.finish_within or job.timing.delay(job.id) + job.plan.limits.deadline


def grace(job: Job) -> timedelta:
    """How long after its instant a run of the job may begin."""
    return job.timing.start_within or job.timing.delay(job.id) + LATE


def _instants(job: Job, standing: Standing, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The oldest that nobody has accounted for, and the next to come."""
    assert job.schedule is not None  # noqa: S101 - the caller looked
    first = next(due_after(job.schedule, min(standing.watermark or now, now)), None)
    if first is None or first > now:
        return None, first
    return first, next(due_after(job.schedule, now), None)
