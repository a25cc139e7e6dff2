"""How a run comes to be: its identity follows from job, instant and revision alone, so it cannot be made twice."""

from __future__ import annotations

from datetime import datetime

from .job import Job, Occurrence
from .model import Run

SCHEDULE = "schedule"
"""The cause of a run that was due by its job's own schedule."""


def run_id(job: str, instant: datetime, revision: int) -> str:
    return f"{job}.{instant:%Y%m%dT%H%M%SZ}.{revision}"


def wanted_since(cause: str, instant: datetime, queued_at: datetime) -> datetime:
    """From when on a run may be too late: its instant where the schedule made it, else the time at which it was asked
    for. A day of last month that somebody fills in now is not a month late.
    """
    return instant if cause == SCHEDULE else queued_at


def job_of(run: str) -> str:
    """The job that a run's id names."""
    return run.rsplit(".", 2)[0]


def new_run(job: Job, occurrence: Occurrence, now: datetime, *, cause: str, revision: int = 1) -> Run:
    """A queued run of the job's plan as it is now; it follows this plan to its end, whatever is edited later."""
    return Run(
        id=run_id(job.id, occurrence.instant, revision),
        job=job.id,
        instant=occurrence.instant,
        revision=revision,
        data=occurrence.data,
        plan=job.plan.digest,
        queued_at=now,
        cause=cause,
    )
