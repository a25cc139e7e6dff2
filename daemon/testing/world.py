"""A simulated world: processes of the daemon come and go over one store, and all sorts of things go wrong."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial

from daemon.domain.birth import new_run
from daemon.domain.chain import Link
from daemon.domain.events import Escalated, RunEnded, RunStarted
from daemon.domain.job import Job, Occurrence
from daemon.domain.model import Run
from daemon.domain.pause import EVERYTHING, Pause
from daemon.domain.schedule import Schedule, due_between
from daemon.domain.timing import Overlap, Timing
from daemon.ports import Birth, Change, StoreUnavailable
from daemon.runtime.loop import LEASE_SECONDS
from daemon.runtime.plans import Plans
from daemon.runtime.scheduler import LONGEST_SLEEP

from .audit import Audit, ChainAudit
from .fake_clock import FakeClock
from .faults import Dice, Faults
from .incarnation import Crash, Incarnation, Seams, Setting
from .memory_store import MemoryStore
from .memory_tables import Tables
from .people import People
from .production import Production
from .receiver import Receiver
from .scenario import Cast, random_plan
from .tools import make_job
from .witness import Witness

BEGIN = datetime(2026, 3, 2, 9, 59, tzinfo=UTC)
CRONS = ("0 10 * * *", "0 10 * * *", "0,30 10 * * *", "0 10,12 * * *", "*/5 10 * * *")
HORIZON = timedelta(hours=12)
MOST_RINGS = 4_000
MOST_STRIKES = 6
"""Crashes, freezes and outages at transactions in one history, so that it comes to an end."""


@cache
def due_in_history(schedule: Schedule) -> tuple[datetime, ...]:
    """Every instant that comes due in a history."""
    return tuple(due_between(schedule, BEGIN, BEGIN + HORIZON))


def random_production(dice: Dice, faults: Faults, seed: int) -> Production:
    """A random job with random actors; the smallest ones may be due often, and some have a follower."""
    plan = random_plan(dice)
    many = len(plan.steps) == 1 and dice.happens(0.5)
    job = make_job(plan, CRONS[-1] if many else dice.pick(CRONS[:-1]), "UTC")
    return Production(job, Cast(dice, faults), follower=_follower(Dice(f"what follows in {seed}"), faults))


def _follower(dice: Dice, faults: Faults) -> Job | None:
    """With dice of its own: a history without one is as it would be if nothing could follow."""
    if not dice.happens(faults.follows):
        return None
    plan = random_plan(dice, "then", sizes=(1, 1, 2))
    timing = Timing(overlap=dice.pick((Overlap.SKIP, Overlap.ALLOW)))
    return replace(make_job(plan, None), after="job", timing=timing)


class World:
    """`live` plays one history to its end and audits it."""

    def __init__(self, seed: int, faults: Faults, seams: Seams, production: Production | None = None) -> None:
        self._dice = dice = Dice(seed)
        self._faults = faults
        self._clock = clock = FakeClock(BEGIN)
        play = production or random_production(dice, faults, seed)
        job = play.job
        self._play = play
        self.witness = Witness(clock, {one.id: one.plan for one in play.jobs.values()})
        self._raw = MemoryStore(boot=clock.boot, alive=self._lives)
        self._setting = Setting(
            dice,
            faults,
            clock,
            self._raw,
            Plans(self._raw),
            play.jobs,
            play.cast,
            self._receiver(seams),
            self.witness,
            seams.journal(),
            seams=seams,
            decider=play.decider,
        )
        self._due = due_in_history(job.schedule) if job.schedule else ()
        self._people = People(dice, faults, clock, self._raw, self.witness, self._ring)
        self._processes: list[Incarnation] = []
        self._strikes = MOST_STRIKES
        self._down_until = -1.0
        self._backup: Tables | None = None
        self._late = Dice(-1 - seed)
        """For what came to be thrown later: it leaves every older throw of the seed as it was."""

    def live(self) -> None:
        self._plan_troubles()
        self._start()
        rings = 0
        while self._clock.ring_next():
            rings += 1
            if rings > MOST_RINGS:
                self.witness.broken(4, "the history never ends")
                break
        self._audit()

    # -- what is there

    def _receiver(self, seams: Seams) -> Receiver:
        dice, odd = self._dice, self._dice.happens(self._faults.receiver)
        parts = ("picture", "message") if odd and dice.happens(0.5) else ("message",)
        return seams.receiver(self._clock, parts, lag=dice.between(0.0, 9.0) if odd else 0.0)

    def _lives(self, owner: str) -> bool:
        return any(process.alive for process in self._processes if process.name == owner)

    @property
    def _current(self) -> Incarnation | None:
        alive = [process for process in self._processes if process.alive]
        return alive[-1] if alive else None

    def _start(self) -> None:
        process = Incarnation(f"daemon-{len(self._processes) + 1}", self._setting, self)
        self._processes.append(process)
        self.witness.say(process.name, "", "starts")
        process.ring()

    def _ring(self) -> None:
        if self._current is not None:
            self._current.ring()

    def _audit(self) -> None:
        store, job, follower = self._raw, self._play.job, self._play.follower
        runs = {row.id: store.load(row.id) for row in store.runs(limit=1000)}
        ledger = store.ledger(job.id, BEGIN, BEGIN + 2 * HORIZON)
        owed = [due for due in self._due if self.witness.adopted and due > self.witness.adopted]
        Audit(runs, ledger, owed, self._setting.receiver, self.witness).check()
        if follower:
            rows = store.ledger(follower.id, BEGIN - HORIZON, BEGIN + 2 * HORIZON)
            ChainAudit(job.id, follower.id, runs, rows, self.witness).check()

    # -- what goes wrong by itself

    def _plan_troubles(self) -> None:
        dice, faults = self._dice, self._faults
        for probability, trouble in (
            (faults.kill, self._kill),
            (faults.freeze * 10, self._freeze),
            (faults.clock, self._step_clock),
            (faults.receiver, self._deafen),
        ):
            if dice.happens(probability):
                self._clock.after(dice.between(55.0, 120.0), trouble)
        if self._late.happens(faults.restore):
            backup = self._late.between(55.0, 200.0)
            self._clock.after(backup, self._back_up)
            self._clock.after(backup + self._late.between(1.0, self._late.pick((20.0, 200.0, 4000.0))), self._put_back)

    def _kill(self) -> None:
        if self._current is not None:
            self._current.die()

    def _freeze(self) -> None:
        process = self._current
        if process is not None and not process.frozen:
            self._clock.after(self._frozen(process), process.thaw)

    def _frozen(self, process: Incarnation) -> float:
        """Freeze it, and let another take over where that lasts longer than the lease; for how long."""
        seconds = self._dice.pick((3.0, 40.0, 200.0))
        process.freeze()
        if seconds > LEASE_SECONDS:
            self._clock.after(LEASE_SECONDS + 1.0, self._start)
            self._clock.after(seconds + 60.0, process.die)
        return seconds

    def _step_clock(self) -> None:
        # A receiver that lags in its history while the clock jumps over the settling time is the one gap that
        # no client can close.
        self._setting.receiver.lag = 0.0
        self._clock.step(self._dice.pick((-3600.0, -30.0, 30.0, 900.0)))
        self.witness.say("", "", "the clock steps")
        for process in self._processes:
            self._clock.after(5.0, process.ring)
            self._clock.after(30.0, partial(process.do, process.executor.look))

    def _deafen(self) -> None:
        receiver = self._setting.receiver
        receiver.deaf = True
        self._clock.after(self._dice.pick((20.0, 100.0, 10_000.0)), lambda: setattr(receiver, "deaf", False))

    def _back_up(self) -> None:
        if self.witness.adopted:
            self.witness.backed_up()
            self._backup = self._raw.backup()

    def _put_back(self) -> None:
        """Everybody is stopped first; in half of the cases a person looks around before anything is due again."""
        if self._backup is None:
            return
        for process in self._processes:
            process.die()
        self._raw.restore(self._backup)
        self.witness.restored()
        if self._late.happens(0.5):
            self._raw.pause(Pause(EVERYTHING, self._clock.now(), "ada", "the store was put back"))
            self._clock.after(self._late.between(1.0, 1200.0), self._resume)

    def _resume(self) -> None:
        self._raw.resume(EVERYTHING, self._clock.now(), "ada")
        self._ring()

    # -- as the fate of the processes

    def touched(self, process: Incarnation, *, writes: bool) -> None:
        if not process.alive:
            raise Crash
        if self._clock.boot() < self._down_until:
            raise StoreUnavailable("the store is away")
        if not writes or self._strikes <= 0:
            return
        if self._dice.happens(self._faults.crash):
            self._strikes -= 1
            raise Crash
        if self._dice.happens(self._faults.freeze):
            self._strikes -= 1
            self._freeze_inside(process)
        if self._dice.happens(self._faults.outage):
            self._strikes -= 1
            self._down_until = self._clock.boot() + self._dice.between(0.5, 20.0)
            raise StoreUnavailable("the store went away")

    def _freeze_inside(self, process: Incarnation) -> None:
        """The process stops right here, the world goes on without it, and then it goes on right here."""
        self._clock.advance(self._frozen(process))
        if not process.alive:
            raise Crash
        process.thaw()

    def died(self) -> None:
        if self._current is None:
            pause = self._dice.pick((5.0, 20.0, 20.0, 20.0, 2500.0))
            self._clock.after(self._dice.between(0.5, pause), self._start)
        else:
            self._clock.after(5.0, self._ring)  # the one that stands by looks every five seconds

    def committed(self, change: Change) -> None:
        run = change.after
        for event in change.events:
            if isinstance(event, Escalated):
                self._people.ask(run, event.escalation)
            elif isinstance(event, RunStarted):
                self._begun(run)
            elif isinstance(event, RunEnded) and run.revision == 1 and self._dice.happens(self._faults.again):
                self._clock.after(self._dice.between(0.0, 60.0), lambda: self._again(run))

    def _begun(self, run: Run) -> None:
        if self._dice.happens(self._faults.cancel):
            self._clock.after(self._dice.between(0.0, 60.0), lambda: self._people.cancel(run))
        if run.revision == 1 and self._late.happens(self._faults.overlap):
            self._clock.after(self._late.between(0.0, 60.0), lambda: self._again(run, self._send()))

    def _send(self) -> int:
        """By how much the send number rises. A run that is forgotten must not come back under its name with another."""
        return self._late.pick((0, 0, 1)) if self._backup is None else 0

    def _again(self, run: Run, send: int = 0) -> None:
        """A person has the run made once more; a store that was put back may know nothing of it."""
        job = self._setting.jobs[run.job]
        latest = self._raw.latest(job.id, run.instant)
        if latest is None:
            return
        due = Occurrence(job.id, run.instant, run.data)
        again = new_run(job, due, self._clock.now(), cause="again", revision=latest.revision + 1)
        again = replace(again, send=latest.send + send)
        self.witness.born("ada", [Birth(again)], self._raw.create([Birth(again)]))
        self._ring()

    def soon(self, until: timedelta) -> float | None:
        """Sleep over the turns in which nothing can be due."""
        if until < LONGEST_SLEEP or self._clock.boot() < self._down_until:
            return until.total_seconds()
        now = self._clock.now()
        if self._chained():
            return until.total_seconds()
        coming = [due for due in [self._raw.next_wake(), *self._due] if due is not None and due > now]
        return (min(coming) - now).total_seconds() if coming else None

    def _chained(self) -> bool:
        """Whether something that follows is owed."""
        follower = self._play.follower
        if follower is None or not self.witness.adopted:
            return False
        link = Link(follower.after, datetime.min.replace(tzinfo=UTC))
        return bool(self._raw.followed(follower.id, link, None, frozenset()).owed)
