"""Runs that a person asks for. Asking twice gives the same run: only one that failed is made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from ..domain.birth import new_run
from ..domain.calendar import data_date, occurrence_for
from ..domain.job import Job, Occurrence
from ..domain.model import Run, RunState
from ..ports import Declined, Requested, Store

FIRST_DAY = date(1970, 1, 2)
OVER = frozenset({RunState.SUCCEEDED, RunState.DEGRADED})


def yesterday(job: Job, now: datetime) -> date:
    """The day that a report made now is about, in the job's zone."""
    return now.astimezone(ZoneInfo(job.days_in)).date() - timedelta(days=1)


def day_asked(job: Job, day: date | None, now: datetime) -> date:
    """That day, or yesterday in the job's zone; one that is not over there cannot be reported on. Raises Declined."""
    latest = yesterday(job, now)
    wanted = day or latest
    if wanted > latest:
        when = "has not ended" if wanted == latest + timedelta(days=1) else "is in the future"
        raise Declined(f"{wanted} {when} in {job.days_in}", f"the latest whole day is {latest}")
    if wanted < FIRST_DAY:
        raise Declined(f"{wanted} is too long ago", f"the first day that can be reported on is {FIRST_DAY}")
    return wanted


def request(store: Store, job: Job, day: date, now: datetime, zone_data: str, *, dry_run: bool = False) -> Requested:
    """The run of `job` for `day`. A dry run is always new and never stands for the real one."""
    if dry_run:
        due = _at(job, _free(store, job, None, now), day, zone_data)
        return Requested(replace(new_run(job, due, now, cause="dry run"), dry_run=True), True)
    due = occurrence_for(job, day, zone_data) or _at(job, _free(store, job, day, now), day, zone_data)
    return wanted(store, job, due, now, cause="request")


def wanted(store: Store, job: Job, due: Occurrence, now: datetime, *, cause: str) -> Requested:
    """The run that stands for an occurrence: the one there is, unless it failed."""
    latest = store.latest(job.id, due.instant)
    if latest is None:
        return Requested(new_run(job, due, now, cause=cause), True)
    if not latest.state.ended or latest.state in OVER:
        return Requested(latest, False)
    # What a person had sent again keeps its number, so that another try cannot send it once more.
    return Requested(replace(_next(job, latest, now, cause), send=latest.send), True)


def again(store: Store, job: Job, run: Run, now: datetime, *, send: bool = False) -> Run:
    """A new revision, whatever became of the last one. The data date stays as it was resolved at first.

    What was delivered is not sent again unless `send` asks for it. Raises ValueError while one still goes on.
    """
    latest = store.latest(run.job, run.instant) or run
    if not latest.state.ended:
        raise ValueError(f"run {latest.id} still goes on: it is {latest.state}")
    made = _next(job, latest, now, "retry")
    return replace(made, send=latest.send + int(send), dry_run=run.dry_run)


def _next(job: Job, latest: Run, now: datetime, cause: str) -> Run:
    due = Occurrence(latest.job, latest.instant, latest.data)
    return new_run(job, due, now, cause=cause, revision=latest.revision + 1)


def send_again(job: Job, earlier: Sequence[Run], now: datetime, by: str) -> Run:
    """A new revision of the newest of a day's `earlier` runs, whose effects have keys of their own.

    Raises ValueError where nothing can have been sent, or something may be under way.
    """
    if not earlier:
        raise ValueError("nothing was sent for that day yet")
    if unfinished := [run.id for run in earlier if not run.state.ended]:
        raise ValueError(f"run {unfinished[0]} has not ended")
    latest = max(earlier, key=lambda run: (run.instant, run.revision))
    due = Occurrence(job.id, latest.instant, latest.data)
    anew = new_run(job, due, now, cause=f"sent again by {by}", revision=latest.revision + 1)
    return replace(anew, send=max(run.send for run in earlier) + 1)


def _free(store: Store, job: Job, day: date | None, now: datetime) -> datetime:
    """The time of the request stands for a day that no occurrence reports on; a second later where it stands for
    another day already.
    """
    instant = now.replace(microsecond=0)
    while (there := store.latest(job.id, instant)) and there.data.day != day:
        instant += timedelta(seconds=1)
    return instant


def _at(job: Job, instant: datetime, day: date, zone_data: str) -> Occurrence:
    return Occurrence(job.id, instant, data_date(instant, job.days_in, zone_data, day))
