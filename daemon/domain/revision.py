"""The schedules that a job has had: an instant is due by the schedule that was in force when it came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from .ledger import Owed
from .schedule import Schedule, due_between, newest_due


@dataclass(frozen=True, slots=True)
class Revision:
    """From `since` on (later instants only) the job is due by `schedule`, or when `after` has succeeded.

    By neither where it was removed.
    """

    job: str
    since: datetime
    schedule: Schedule | None
    after: str = ""


@dataclass(frozen=True, slots=True)
class Reign:
    """The instants in (after, until] belong to this schedule."""

    schedule: Schedule
    after: datetime
    until: datetime


def reigns(revisions: Sequence[Revision], after: datetime, until: datetime) -> Iterator[Reign]:
    """The parts of (after, until] on which a schedule was in force, in order. Takes one job's, oldest first."""
    ends = [*(revision.since for revision in revisions[1:]), until]
    for revision, end in zip(revisions, ends, strict=False):
        low, high = max(after, revision.since), min(end, until)
        if revision.schedule is not None and low < high:
            yield Reign(revision.schedule, low, high)


def due_over(revisions: Sequence[Revision], after: datetime, until: datetime) -> Iterator[datetime]:
    """Every instant in (after, until] at which the job was due, worked out from its schedules alone."""
    for reign in reigns(revisions, after, until):
        yield from due_between(reign.schedule, reign.after, reign.until)


def owed(revisions: Sequence[Revision], after: datetime, until: datetime, most: int) -> Owed:
    """What was due in (after, until]: the newest `most` one by one, those before only as an interval."""
    newest: list[datetime] = []
    parts = list(reigns(revisions, after, until))
    for reign in reversed(parts):
        wanted = most + 1 - len(newest)
        newest = newest_due(reign.schedule, reign.after, reign.until, wanted) + newest
        if len(newest) > most:
            first = next(due_over(revisions, after, until), newest[0])
            return Owed(tuple(newest[1:]), older=(first, newest[0]))
    return Owed(tuple(newest))
