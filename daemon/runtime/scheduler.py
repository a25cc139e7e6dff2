"""Asks, whenever it wakes: which instants are due and unaccounted for, and which runs want a driver?

Level, not edge: the alarm clock only ends a sleep. What is due follows from the schedules and the watermarks, so a
lost tick, a suspend or a restart all come out the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from ..domain.absent import Absent
from ..domain.birth import job_of
from ..domain.codec import prepare
from ..domain.job import Job, LedgerRow
from ..domain.model import Run
from ..domain.pause import EVERYTHING, Pause
from ..domain.plan import Plan
from ..ports import Notice, Severity
from .accountant import Accountant, Pace
from .chains import Chains
from .clock_guard import ClockGuard
from .outside import Outside
from .plans import Plans
from .roster import Roster

LONGEST_SLEEP = timedelta(seconds=30)
NO_ROOM = timedelta(milliseconds=200)
"""What is due and could not be handed out now is not looked at again before this."""
BATCH = 200
"""Jobs accounted for in one transaction."""
MANY = 1000
"""Runs that want a driver and are looked at in one go, to find the most urgent."""


class Carrier(Protocol):
    """What the scheduler needs of the executor."""

    @property
    def free(self) -> int: ...

    @property
    def lost(self) -> frozenset[str]: ...

    @property
    def carried(self) -> frozenset[str]: ...

    @property
    def returns_in(self) -> float | None: ...

    @property
    def shunned(self) -> frozenset[str]: ...

    def begin(self, run: Run, plan: Plan, ledger: LedgerRow | None = None) -> bool: ...

    def drive(self, run_id: str) -> bool: ...


class Scheduler:
    """One loop's worth of work at a time; whoever owns the loop calls `tick` and sleeps until what it returns."""

    def __init__(
        self, outside: Outside, plans: Plans, carrier: Carrier, jobs: Mapping[str, Job], zone_data: str
    ) -> None:
        self._outside = outside
        self._carrier = carrier
        self._roster = Roster(jobs)
        self._accountant = Accountant(outside, plans, zone_data)
        self._chains = Chains(outside, plans)
        self._plans = plans
        self._guard = ClockGuard(outside.clock)
        self._pauses: dict[str, Pause] = {}
        self.pace = Pace()
        self.tag_limits: Mapping[str, int] = {}
        """How many runs of jobs with a tag may work at once."""

    def tell(self, told: Callable[[Sequence[LedgerRow]], None]) -> None:
        """Call this with what is accounted for."""
        self._accountant.told = told

    def assign(self, jobs: Mapping[str, Job], absent: Absent) -> None:
        """Before it is adopted: these are the jobs."""
        self._roster = Roster(jobs, absent)

    def adopt(self) -> None:
        """Take up where the store says that accounting stopped. A job never seen before owes nothing."""
        self._guard = ClockGuard(self._outside.clock)
        self._accountant.began_at = self._outside.clock.now()
        self.take_up()

    def reload(self, jobs: Mapping[str, Job], absent: Absent | None = None) -> None:
        """From now on these jobs count. What was due before still belongs to the old ones. Raises StoreError."""
        before, self._roster = self._roster, Roster(jobs, absent)
        try:
            self.take_up()
        except Exception:
            self._roster = before
            raise

    def take_up(self) -> None:
        """Go on from where the store says that accounting stopped. Raises StoreError."""
        self._roster.take_up(self._outside.store, self._outside.clock.now(), self._outside.fence.epoch)
        self._chains.forget()
        prepare(Run, LedgerRow)
        self._plans.keep_all(job.plan for job in self._roster.jobs.values() if job.schedule or job.after)

    def tick(self) -> datetime:
        """Account for what is due, drive what wants driving; the instant at which to look again. Raises StoreError."""
        self._watch_clock()
        now = self._outside.clock.now()
        if not self._guard.holds:
            self._look_at_pauses(now)
            for batch in _batches(self._roster.due(now)):
                self._accountant.account(self._roster, batch, self._pauses, self.pace)
            self._chains.look(self._roster, self._pauses, now)
        self._drive(now)
        return self._look_next(now)

    def _look_next(self, now: datetime) -> datetime:
        look = self._guard.until if self._guard.holds else self._roster.next_look()
        ends = (pause.until for pause in self._pauses.values())
        lost = self._carrier.returns_in
        returns = None if lost is None else now + timedelta(seconds=lost)
        wakes = filter(None, [self._outside.store.next_wake(self._carrier.shunned), look, returns, *ends])
        return min([now + LONGEST_SLEEP, *(at if at > now else now + NO_ROOM for at in wakes)])

    def _watch_clock(self) -> None:
        if not self._guard.look():
            return
        seconds = round(self._guard.jump.total_seconds())
        self._say(f"the wall clock jumped by {seconds} s; nothing is fired until it has been steady for a while")
        if self._guard.too_far:
            why = f"the clock jumped ahead by {self._guard.jump}: check it, then 'clockwright jobs resume --all'"
            self._outside.store.pause(Pause(EVERYTHING, self._outside.clock.now(), "clockwright", why))

    def _say(self, message: str) -> None:
        self._outside.sink.notice(Notice("clock_jumped", message, Severity.CRITICAL))

    def _look_at_pauses(self, now: datetime) -> None:
        """Whatever stood still because of a pause that is over is looked at now."""
        found = {pause.job: pause for pause in self._outside.store.pauses() if pause.holds(now)}
        if ended := self._pauses.keys() - found.keys():
            self._roster.look_again(self._roster.known if EVERYTHING in ended else ended, now)
        self._pauses = found

    def _drive(self, now: datetime) -> None:
        for run_id in sorted(self._carrier.lost):
            self._carrier.drive(run_id)
        if self._carrier.free <= 0:
            self._poke(now)
            return
        wanted = self._outside.store.due(now, self._outside.owner, limit=MANY)
        shunned = self._carrier.shunned
        for run_id in sorted((run for run in wanted if run not in shunned), key=self._urgency):
            if self._may_work(run_id):
                self._carrier.drive(run_id)

    def _poke(self, now: datetime) -> None:
        """There is no room, but what is carried already may have a message to hear."""
        for run_id in self._carrier.carried.intersection(self._outside.store.due(now, self._outside.owner, limit=MANY)):
            self._carrier.drive(run_id)

    def _urgency(self, run_id: str) -> int:
        job = self._roster.jobs.get(job_of(run_id))
        return -job.timing.priority if job else 0

    def _may_work(self, run_id: str) -> bool:
        carried = self._carrier.carried
        return run_id in carried or all(
            sum(tag in self._tags(other) for other in carried) < self.tag_limits[tag] for tag in self._tags(run_id)
        )

    def _tags(self, run_id: str) -> list[str]:
        job = self._roster.jobs.get(job_of(run_id))
        return [tag for tag in job.tags if tag in self.tag_limits] if job else []


def _batches(jobs: list[str]) -> Iterator[list[str]]:
    return (jobs[start : start + BATCH] for start in range(0, len(jobs), BATCH))
