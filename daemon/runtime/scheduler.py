"""Asks, whenever it wakes: which instants are due and unaccounted for, and which runs want a driver?

Level, not edge: the alarm clock only ends a sleep. What is due follows from the schedules and the watermarks, so a
lost tick, a suspend or a restart all come out the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from ..domain.birth import new_run
from ..domain.calendar import occurrence
from ..domain.job import Disposition, Job, LedgerRow, Occurrence
from ..domain.model import Run
from ..domain.plan import Plan
from ..domain.schedule import first_due_after, first_due_between
from ..ports import Birth
from .outside import Outside
from .plans import Plans

LONGEST_SLEEP = timedelta(seconds=30)
NO_ROOM = timedelta(milliseconds=200)
"""What is due and could not be handed out now is not looked at again before this."""
BATCH = 200
"""Instants accounted for in one transaction."""
LATE = timedelta(seconds=60)
"""A run that starts more than this after its instant is a late start."""
MOST_OWED = 10_000
"""Owed instants of one job that are looked at in one go; the rest come with the next tick."""


class Carrier(Protocol):
    """What the scheduler needs of the executor."""

    @property
    def free(self) -> int: ...

    @property
    def lost(self) -> frozenset[str]: ...

    def begin(self, run: Run, plan: Plan, ledger: LedgerRow | None = None) -> bool: ...

    def drive(self, run_id: str) -> bool: ...


class Scheduler:
    """One loop's worth of work at a time; whoever owns the loop calls `tick` and sleeps until what it returns."""

    def __init__(
        self, outside: Outside, plans: Plans, carrier: Carrier, jobs: Mapping[str, Job], zone_data: str
    ) -> None:
        self._outside = outside
        self._plans = plans
        self._carrier = carrier
        self._jobs = jobs
        self._zone_data = zone_data
        self._next: dict[str, datetime] = {}
        self._watermarks: dict[str, datetime] = {}

    def adopt(self) -> None:
        """Take up where the store says that accounting stopped. A job never seen before owes nothing."""
        now = self._outside.clock.now()
        known = self._outside.store.watermarks()
        scheduled = {job.id: known.get(job.id, now) for job in self._jobs.values() if job.schedule}
        if fresh := {job: mark for job, mark in scheduled.items() if job not in known}:
            self._create([], [], fresh)
        self._watermarks = scheduled
        self._next = {job: due for job in scheduled if (due := self._after(job, scheduled[job]))}

    def _after(self, job_id: str, instant: datetime) -> datetime | None:
        schedule = self._jobs[job_id].schedule
        return first_due_after(schedule, instant) if schedule else None

    def tick(self) -> datetime:
        """Account for what is due, drive what wants driving; the instant at which to look again. Raises StoreError."""
        now = self._outside.clock.now()
        for batch in _batches(sorted(job for job, due in self._next.items() if due <= now)):
            self._fire(batch, now)
        self._drive(now)
        wakes = filter(None, [self._outside.store.next_wake(), *self._next.values()])
        return min([now + LONGEST_SLEEP, *(at if at > now else now + NO_ROOM for at in wakes)])

    def _fire(self, job_ids: list[str], now: datetime) -> None:
        """One transaction a batch: ledger rows, runs and watermarks."""
        births: list[Birth] = []
        rows: list[LedgerRow] = []
        marks: dict[str, datetime] = {}
        for job_id in job_ids:
            job = self._jobs[job_id]
            owed, more = self._owed(job, now)
            marks[job_id] = owed[-1].instant
            rows += [_coalesced(earlier, now) for earlier in (owed if more else owed[:-1])]
            births += [] if more else [self._birth(job, owed[-1], now)]
        self._create(births, rows, marks)
        for job_id, mark in marks.items():
            self._watermarks[job_id] = mark
            self._advance(job_id, mark)

    def _create(self, births: list[Birth], rows: list[LedgerRow], marks: Mapping[str, datetime]) -> None:
        self._outside.store.create(births, rows, marks, fence=self._outside.fence.epoch)

    def _advance(self, job_id: str, mark: datetime) -> None:
        due = self._after(job_id, mark)
        if due is None:
            self._next.pop(job_id)
        else:
            self._next[job_id] = due

    def _owed(self, job: Job, now: datetime) -> tuple[list[Occurrence], bool]:
        """Due and unaccounted for, oldest first, and whether there are more; the default catch-up runs the latest."""
        if job.schedule is None:
            raise ValueError(f"job {job.id!r} has no schedule to owe anything")
        instants = first_due_between(job.schedule, self._watermarks[job.id], now, MOST_OWED + 1)
        owed = [occurrence(job, instant, self._zone_data) for instant in instants[:MOST_OWED]]
        return owed, len(instants) > MOST_OWED

    def _birth(self, job: Job, due: Occurrence, now: datetime) -> Birth:
        self._plans.keep(job.plan)
        run = new_run(job, due, now, cause="schedule")
        late = now - due.instant > LATE
        disposition = Disposition.LATE_STARTED if late else Disposition.STARTED
        return Birth(run, ledger=LedgerRow(due, disposition, run=run.id, recorded_at=now))

    def _drive(self, now: datetime) -> None:
        for run_id in sorted(self._carrier.lost):
            self._carrier.drive(run_id)
        for run_id in self._outside.store.due(now, self._outside.owner, limit=max(self._carrier.free, 1) * 2):
            self._carrier.drive(run_id)


def _coalesced(earlier: Occurrence, now: datetime) -> LedgerRow:
    reason = "only the latest of several owed instants runs"
    return LedgerRow(earlier, Disposition.COALESCED_INTO, reason=reason, recorded_at=now)


def _batches(jobs: list[str]) -> Iterator[list[str]]:
    return (jobs[start : start + BATCH] for start in range(0, len(jobs), BATCH))
