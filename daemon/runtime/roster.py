"""Which jobs there are, by which schedules they have been due, and how far each is accounted for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from ..domain.absent import Absent
from ..domain.chain import Link, links
from ..domain.job import Job
from ..domain.ledger import Owed
from ..domain.revision import Revision, due_over, owed
from ..domain.schedule import Schedule
from ..ports import Store

NEVER: tuple[Schedule | None, str] = (None, "")
"""Due by no schedule and after no job."""
MOST_OWED = 1_000
"""Owed instants of one job that are looked at one by one; the older ones get one row together."""


class Roster:
    """In memory, over what the store says. One thread uses it."""

    def __init__(self, jobs: Mapping[str, Job], absent: Absent | None = None) -> None:
        self.jobs = jobs
        self.absent = absent or Absent()
        self._history: dict[str, list[Revision]] = {}
        self._marks: dict[str, datetime] = {}
        self._look: dict[str, datetime] = {}
        self._chains: dict[str, Sequence[Link]] = {}

    def take_up(self, store: Store, now: datetime, fence: int) -> None:
        """Read where accounting stopped, and store what has been edited since: from `now` on it counts.

        Up to `now` every job is due by the schedule that it had; one never seen before owes nothing.
        """
        history: dict[str, list[Revision]] = defaultdict(list)
        for revision in store.revisions():
            history[revision.job].append(revision)
        marks = dict(store.watermarks())
        edits = list(self._edits(history, marks, now))
        fresh = {job: now for job in {*history, *(edit.job for edit in edits)} if job not in marks}
        if edits or fresh:
            store.revise(edits, fresh, fence=fence)
        for edit in edits:
            history[edit.job].append(edit)
        self._history, self._marks = dict(history), {**marks, **fresh}
        self._chains = {job: chain for job, past in history.items() if (chain := tuple(links(past)))}
        self._look = {job: at for job in self._history if (at := self._next(job, self._marks[job], now)) is not None}

    def _edits(
        self, history: Mapping[str, list[Revision]], marks: Mapping[str, datetime], now: datetime
    ) -> Iterator[Revision]:
        for job in sorted({*self.jobs, *history}):
            last = (history[job][-1].schedule, history[job][-1].after) if job in history else NEVER
            wanted = self._wanted(job, last)
            if wanted == last:
                continue
            # A store that is older than this history has a watermark all the same.
            since = now if job in history else marks.get(job, now)
            yield Revision(job, since, *wanted)

    def _wanted(self, job: str, last: tuple[Schedule | None, str]) -> tuple[Schedule | None, str]:
        if job in self.jobs:
            return self.jobs[job].schedule, self.jobs[job].after
        return last if self.absent.why(job) else NEVER

    @property
    def chains(self) -> Mapping[str, Sequence[Link]]:
        """The jobs that each follower has followed, in order."""
        return self._chains

    def due(self, now: datetime) -> list[str]:
        """Jobs to be looked at now; the higher priority first."""
        return sorted((job for job, at in self._look.items() if at <= now), key=lambda job: (-self._priority(job), job))

    def owed(self, job: str, now: datetime) -> Owed:
        until = now - (self.jobs[job].timing.delay(job) if job in self.jobs else now - now)
        return owed(self._history[job], self._marks[job], until, MOST_OWED)

    def mark(self, job: str) -> datetime:
        return self._marks[job]

    def zone(self, job: str) -> str:
        """That of the job's days, also of one that is no longer there."""
        if job in self.jobs:
            return self.jobs[job].timezone
        schedules = (revision.schedule for revision in reversed(self._history[job]))
        return next((schedule.timezone for schedule in schedules if schedule), "UTC")

    def settle(self, job: str, mark: datetime | None, now: datetime, again: datetime | None) -> None:
        """Accounted for up to `mark`; what stays owed is looked at `again`."""
        self._marks[job] = mark or self._marks[job]
        following = self._next(job, now if again else self._marks[job], now)
        looks = [at for at in (following, again) if at is not None]
        if looks:
            self._look[job] = min(looks)
        else:
            self._look.pop(job, None)

    def look_again(self, jobs: Iterable[str], at: datetime) -> None:
        for job in jobs:
            if job in self._history:
                self._look[job] = min(at, self._look.get(job, at))

    @property
    def known(self) -> Iterable[str]:
        return self._history

    def next_look(self) -> datetime | None:
        return min(self._look.values(), default=None)

    def _next(self, job: str, after: datetime, now: datetime) -> datetime | None:
        delay = self.jobs[job].timing.delay(job) if job in self.jobs else now - now
        due = next(due_over(self._history[job], after, datetime.max.replace(tzinfo=now.tzinfo)), None)
        return None if due is None else due + delay

    def _priority(self, job: str) -> int:
        return self.jobs[job].timing.priority if job in self.jobs else 0
