"""Jobs that are due when another one has succeeded: for the same instant and the same data date, once.

Each success is another date, so none is coalesced into a later one: what cannot start yet waits in line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .job import Disposition, Job
from .ledger import LATE, Situation, Verdict
from .model import DataDate
from .revision import Revision
from .timing import Overlap


@dataclass(frozen=True, slots=True)
class Success:
    """A run that ended well and that a following job's ledger says nothing of yet."""

    run: str
    instant: datetime
    ended_at: datetime
    data: DataDate


@dataclass(frozen=True, slots=True)
class Link:
    """What succeeds in (after, until] makes the follower due; `until` None: up to now.

    A run that was due after `after` counts whatever the clock said when it ended: it may have been set back meanwhile.
    """

    upstream: str
    after: datetime
    until: datetime | None = None

    def covers(self, instant: datetime, ended_at: datetime) -> bool:
        return self.after < max(instant, ended_at) and (self.until is None or ended_at <= self.until)


def links(revisions: Sequence[Revision]) -> Iterator[Link]:
    """The jobs that this one has followed, oldest first. Takes one job's revisions, oldest first."""
    ends = [*(revision.since for revision in revisions[1:]), None]
    for revision, end in zip(revisions, ends, strict=True):
        if revision.after:
            yield Link(revision.after, revision.since, end)


def follow(job: Job, owed: Sequence[Success], situation: Situation, now: datetime) -> list[Verdict]:
    """The verdicts on the older part of what is owed, oldest first; what is not in it stays owed."""
    return list(_verdicts(job, owed, situation, now))


def _verdicts(job: Job, owed: Sequence[Success], situation: Situation, now: datetime) -> Iterator[Verdict]:
    free = situation.running_since is None and situation.pause is None
    for success in owed:
        if verdict := _settled(job, success, situation, now):
            yield verdict
            continue
        if not free or job.timing.calendar.closed(now.astimezone(ZoneInfo(job.timezone))):
            return
        yield _start(success, now)
        free = job.timing.overlap is Overlap.ALLOW


def _settled(job: Job, success: Success, situation: Situation, now: datetime) -> Verdict | None:
    at, told = success.instant, _evidence(success)
    if job.broken:
        return Verdict(at, Disposition.BLOCKED_INVALID, job.broken, evidence=told)
    if run := situation.made.get(at):
        return Verdict(at, Disposition.STARTED, "a person ran it before it was accounted for", run, evidence=told)
    if objection := job.timing.calendar.objection(at.astimezone(ZoneInfo(job.timezone))):
        return Verdict(at, Disposition.SKIPPED_CALENDAR, objection, evidence=told)
    limit = min(job.timing.window, job.timing.start_within or job.timing.window)
    if now - success.ended_at <= limit:
        return None
    if pause := situation.pause:
        return Verdict(at, Disposition.SKIPPED_PAUSED, pause.told, evidence=told)
    return Verdict(at, Disposition.MISSED_EXPIRED, f"it was owed for longer than {limit}", evidence=told)


def _start(success: Success, now: datetime) -> Verdict:
    late = now - success.ended_at
    if late <= LATE:
        return Verdict(success.instant, Disposition.STARTED, evidence=_evidence(success))
    told = f"{timedelta(seconds=round(late.total_seconds()))} late"
    return Verdict(success.instant, Disposition.LATE_STARTED, told, evidence=_evidence(success))


def _evidence(success: Success) -> Mapping[str, str]:
    return {"after": success.run, "succeeded_at": success.ended_at.isoformat()}


def mark(owed: Sequence[Success], settled: int) -> datetime:
    """Every success up to this time is accounted for, once the first `settled` of those owed are."""
    left = [success.ended_at for success in owed[settled:]]
    if left:
        return min(left) - timedelta(microseconds=1)
    return max(success.ended_at for success in owed)
