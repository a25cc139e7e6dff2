"""When jobs are due, for people and programs."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from ..domain import times

if TYPE_CHECKING:
    from ..domain.job import Job


def due(job: Job, now: datetime, count: int = 1) -> list[datetime]:
    """The next instants, in UTC; none without a schedule."""
    from ..domain.schedule import due_after

    return list(islice(due_after(job.schedule, now), count)) if job.schedule else []


def next_due(job: Job, now: datetime) -> tuple[str, str]:
    """The next instant in the zone that its schedule is read in, and in UTC."""
    following = due(job, now)
    if job.after:
        return f"after {job.after}", ""
    if job.schedule is None or not following:
        return "on request", ""
    return times.local(following[0], job.schedule.timezone), times.utc(following[0])
