"""One process of the daemon in a simulated world: it lives, may be frozen, and dies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import repeat
from typing import Protocol

from daemon.domain.events import Event
from daemon.domain.job import Job
from daemon.domain.model import Run
from daemon.ports import Birth, Call, Change, Decider, Ended, Journal, Notice, Running, Store, ToolRunner
from daemon.runtime.duty import Service
from daemon.runtime.loop import Loop
from daemon.runtime.outside import Outside
from daemon.runtime.plans import Plans
from daemon.runtime.rules import Rules
from daemon.runtime.scheduler import Scheduler

from .fake_clock import FakeClock, Timer
from .faults import Dice, Faults
from .inline_executor import InlineExecutor
from .memory_artifacts import MemoryArtifacts
from .memory_journal import MemoryJournal
from .production import Actors
from .receiver import Receiver
from .scenario import Whims
from .scripted_decider import ScriptedDecider
from .scripted_runner import ScriptedRunner
from .tools import ZONE_DATA
from .watched_store import WatchedStore
from .witness import Witness


class Crash(BaseException):
    """The process is gone, in the middle of whatever it did. Not an Exception: nobody may survive it."""


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a test may put a bug in: the rules, and wrappers around the store and around the runner."""

    rules: Rules = Rules()
    store: Callable[[Store], Store] = lambda store: store
    runner: Callable[[ToolRunner], ToolRunner] = lambda runner: runner
    receiver: type[Receiver] = Receiver
    journal: type[Journal] = MemoryJournal


@dataclass(frozen=True, slots=True)
class Setting:
    """What all processes of one history share."""

    dice: Dice
    faults: Faults
    clock: FakeClock
    store: Store
    plans: Plans
    """One cache for all of them: how a plan is stored is the codec's test."""
    jobs: Mapping[str, Job]
    cast: Actors
    receiver: Receiver
    witness: Witness
    journal: Journal
    artifacts: MemoryArtifacts = field(default_factory=MemoryArtifacts)
    seams: Seams = Seams()
    decider: Decider | None = None
    """Whims of the dice where it is not given."""


class Fate(Protocol):
    """Who decides what happens to a process."""

    def touched(self, process: Incarnation, *, writes: bool) -> None: ...

    def died(self) -> None: ...

    def soon(self, until: timedelta) -> float | None:
        """Seconds to sleep instead of `until`; None sleeps until somebody rings."""
        ...

    def committed(self, change: Change) -> None: ...


class Incarnation:
    """The real loop, duty, scheduler, custody and drivers of one process, over faulty ports."""

    def __init__(self, name: str, setting: Setting, fate: Fate) -> None:
        self.name = name
        self.alive = True
        self.frozen = False
        self._setting = setting
        self._fate = fate
        self._backlog: list[Callable[[], None]] = []
        self._turn: tuple[float, Timer] | None = None
        self._runner = ScriptedRunner(setting.clock, setting.cast, setting.receiver)
        outside = self._outside()
        plans = setting.plans
        self.executor = InlineExecutor(outside, plans, setting.clock, gate=self.do, on_idle=self.ring)
        scheduler = Scheduler(outside, plans, self.executor, setting.jobs, ZONE_DATA)
        self._service = Service(outside, self.executor, scheduler)
        self._loop = Loop(setting.clock, self, self)

    def _outside(self) -> Outside:
        setting = self._setting
        whims = repeat(Whims(setting.dice, setting.faults))
        return Outside(
            owner=self.name,
            clock=setting.clock,
            store=WatchedStore(setting.seams.store(setting.store), self),
            runner=setting.seams.runner(self),
            decider=setting.decider or ScriptedDecider(whims, takes_time=setting.dice.happens(0.5)),
            artifacts=setting.artifacts,
            sink=self,
            secret=lambda name: f"secret of {name}",
            rules=setting.seams.rules,
            journal=setting.journal,
        )

    def do(self, callback: Callable[[], None]) -> None:
        """Something reaches the process: it acts on it now, once it is thawed, or never."""
        if self.frozen:
            self._backlog.append(callback)
        elif self.alive:
            try:
                callback()
            except Crash:
                self.die()

    def die(self) -> None:
        if self.alive:
            self.alive = False
            self._runner.close()
            self._setting.witness.say(self.name, "", "dies")
            self._fate.died()

    def freeze(self) -> None:
        self.frozen = True
        self._setting.witness.thawed.add(self.name)
        self._setting.witness.say(self.name, "", "freezes")

    def thaw(self) -> None:
        """Go on where it stopped; what arrived meanwhile comes after that."""
        self.frozen = False
        self._setting.witness.say(self.name, "", "thaws")
        self._setting.clock.after(0.0, self._catch_up)
        self.ring()

    def _catch_up(self) -> None:
        backlog, self._backlog = self._backlog, []
        for callback in backlog:
            self.do(callback)

    def ring(self, seconds: float = 0.0) -> None:
        """Turn the loop `seconds` from now, or earlier where that is planned."""
        clock = self._setting.clock
        at = clock.boot() + seconds
        if self._turn is not None and self._turn[1].pending:
            if self._turn[0] <= at:
                return
            self._turn[1].cancel()
        self._turn = (at, clock.after(seconds, lambda: self.do(self._turned)))

    def _turned(self) -> None:
        until = self._loop.turn(self._service) - self._setting.clock.now()
        seconds = self._fate.soon(until)
        if seconds is not None:
            self.ring(seconds)

    # -- as its own runner

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        setting = self._setting
        setting.witness.launched(self.name, call)
        self._fate.touched(self, writes=True)
        if setting.cast.fatal(call):
            setting.clock.after(setting.dice.between(0.0, 1.0), self.die)
        return self._runner.start(call, on_end)

    def close(self) -> None:
        self._runner.close()

    # -- as a watch of its own store

    def touch(self, *, writes: bool = False) -> None:
        self._fate.touched(self, writes=writes)

    def led(self, epoch: int | None) -> None:
        self._setting.witness.led(self.name, epoch)

    def born(self, births: Sequence[Birth], stored: Sequence[bool]) -> None:
        self._setting.witness.born(self.name, births, stored)

    def claimed(self, run: Run) -> None:
        self._setting.witness.claimed(self.name, run)

    def committed(self, change: Change) -> None:
        self._setting.witness.committed(self.name, change)
        self._fate.committed(change)

    # -- as an observer of its own

    def emit(self, run: Run, event: Event) -> None:
        """What is committed was seen at the store already."""

    def notice(self, notice: Notice) -> None:
        self._setting.witness.say(self.name, notice.run or "", f"{notice.topic}: {notice.message}")
        if notice.topic == "run_defect":
            self._setting.witness.broken(7, f"{notice.run} met a defect: {notice.message}")
        if notice.topic in {"store_trouble", "already_delivered", "run_defect"}:
            self.ring(1.1 if notice.topic != "run_defect" else 31.0)

    def wait(self, until: object) -> None:
        """The alarm clock is the world's."""
