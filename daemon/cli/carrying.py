"""Sees one run through, whoever carries it: this process while it holds the lease, else the daemon that does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..domain.events import Event
from ..domain.model import Run
from ..domain.picture import Picture
from ..ports import Notice, StoreUnavailable
from ..runtime.loop import LEASE_SECONDS
from ..runtime.recall import recall
from .interrupts import heard
from .trouble import Unavailable

if TYPE_CHECKING:
    from ..app import Daemon
    from .display import Display

RENEW_SECONDS = LEASE_SECONDS / 3
KILLED_SECONDS = 30.0
"""How long a run whose steps are being killed may take to settle: its receiver may have to be asked."""
GLANCE_SECONDS = 0.1
"""How often a run is looked at while nothing rings."""


HINDERS = frozenset({"store_trouble", "run_defect", "run_quarantined"})
"""Topics of notices that say that a run cannot be carried on here."""


class Bulletin:
    """An EventSink that wakes whoever follows, and keeps the last trouble that was told."""

    def __init__(self) -> None:
        self.news = threading.Event()
        self.trouble = ""

    def emit(self, run: Run, event: Event) -> None:  # noqa: ARG002 - the port's signature
        self.news.set()

    def notice(self, notice: Notice) -> None:
        if notice.topic in HINDERS:
            self.trouble = notice.message
        self.news.set()


class Carrying:
    """`to_end` returns once this command can do no more: the run has ended, or only a person can move it."""

    def __init__(self, daemon: Daemon, bulletin: Bulletin, run_id: str, display: Display) -> None:
        self._daemon = daemon
        self._bulletin = bulletin
        self._run_id = run_id
        self._display = display
        self._leads: bool | None = None
        self._asked_at = float("-inf")

    def to_end(self) -> Run:
        """Raises KeyboardInterrupt between two looks."""
        with heard() as interrupts:
            while True:
                interrupts.check()
                self._lead()
                picture = self._look()
                self._display.show(picture)
                if self._over(picture.run):
                    return picture.run
                self._bulletin.news.wait(GLANCE_SECONDS)
                self._bulletin.news.clear()

    def stop(self) -> None:
        """Let go of the run: what is in flight is recorded as interrupted, and can be taken up again."""
        if self._leads:
            self._daemon.executor.kill()

    def _lead(self) -> None:
        """Hold the lease, or ask for it again: whoever has it may go away."""
        if time.monotonic() - self._asked_at < (RENEW_SECONDS if self._leads else 1.0):
            return
        self._asked_at = time.monotonic()
        leads = self._daemon.store.lead(self._daemon.owner, LEASE_SECONDS) is not None
        before, self._leads = self._leads, leads
        if leads and not before:
            recall(self._daemon.outside)
            self._daemon.doorbell.listen(self._poke)
        elif before and not leads:
            self._daemon.executor.kill()
        if not leads and before is not False:
            self._daemon.doorbell.ring()
            self._display.say("a daemon is at work here; it carries the run, and this command follows it")

    def _poke(self) -> None:
        self._daemon.executor.drive(self._run_id)

    def _look(self) -> Picture:
        run = self._daemon.store.load(self._run_id)
        return Picture(self._daemon.plans.get(run.plan), run, self._daemon.queries.events(self._run_id))

    def _over(self, run: Run) -> bool:
        if run.state.ended:
            return not self._leads or self._daemon.executor.wait(self._run_id)
        if self._leads and self._daemon.executor.wait(self._run_id, 0):
            return self._drive(run)
        return not self._leads and waits_for_person(run)

    def _drive(self, run: Run) -> bool:
        """Nobody here carries it. True where nothing but a person can move it on."""
        if self._bulletin.trouble:
            raise StoreUnavailable(self._bulletin.trouble)
        wanted = self._daemon.store.due(self._daemon.clock.now(), self._daemon.owner, 1000)
        if run.id in wanted and not self._daemon.executor.drive(run.id):
            raise Unavailable(f"run {run.id} cannot be carried: no room")
        return run.id not in wanted and waits_for_person(run)


def waits_for_person(run: Run) -> bool:
    """A question is open, and nothing else goes on or will by itself."""
    busy = any(step.attempt or step.wake_at for step in run.steps.values())
    return bool(run.escalations) and not busy


def in_time(seconds: float, done: Callable[[], bool]) -> bool:
    """Whether `done` came true within `seconds`; asked every tenth of one."""
    until = time.monotonic() + seconds
    while not (over := done()) and time.monotonic() < until:
        time.sleep(GLANCE_SECONDS)
    return over
