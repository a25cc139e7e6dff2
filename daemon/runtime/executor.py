"""Carries the runs of this process: one driver a run, and a thread for each that has something in flight.

A run that only waits has no thread: its wake time is stored, and the scheduler hands it back when it is due.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from ..domain.job import LedgerRow
from ..domain.model import Run
from ..domain.plan import Plan
from ..ports import Notice
from .custody import Custody
from .driver import Arrival, Driver
from .mailbox import Mailbox
from .outside import Outside
from .plans import Plans

KILL_SECONDS = 5.0
"""How long after a kill the outcomes may take to be recorded; the sandbox needs a fraction of it."""


class Executor:
    """Thread safe. `on_idle` is called, from any thread, when a run has left this process's hands."""

    def __init__(self, outside: Outside, plans: Plans, *, parallel: int, on_idle: Callable[[], None]) -> None:
        self._outside = outside
        self._custody = Custody(outside, plans)
        self._parallel = parallel
        self._on_idle = on_idle
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._mail: dict[str, Mailbox] = {}
        self._draining = False
        self._killing = False

    @property
    def free(self) -> int:
        """How many more runs may be carried now."""
        return 0 if self._draining else self._parallel - len(self._mail)

    @property
    def carried(self) -> frozenset[str]:
        """Runs in this process's hands."""
        with self._lock:
            return frozenset(self._mail)

    @property
    def lost(self) -> frozenset[str]:
        """Runs that were let go of in the middle: to be driven again."""
        return self._custody.lost

    @property
    def returns_in(self) -> float | None:
        """Seconds until the next of them may be driven; None where there is none."""
        return self._custody.returns_in

    @property
    def shunned(self) -> frozenset[str]:
        """Runs that cannot be read, and are left alone for now."""
        return self._custody.shunned

    def doubts(self) -> bool:
        """Whether a run met a failing store since this was asked last: it may be another store by now."""
        return self._custody.doubts()

    def begin(self, run: Run, plan: Plan, ledger: LedgerRow | None = None) -> bool:
        """Carry a run that is not stored yet; its first commit stores it. False where there is no room."""
        return self._carry(run.id, lambda mail: Driver(self._outside, plan, run, mail.put, ledger))

    def drive(self, run_id: str) -> bool:
        """Carry a stored run, or make whoever carries it look again. False where there is no room."""
        with self._lock:
            if run_id in self._mail:
                self._mail[run_id].poke()
                return True
        return self._carry(run_id, lambda mail: self._custody.resume(run_id, mail.put))

    def wait(self, run_id: str, seconds: float | None = None) -> bool:
        """Until nobody here carries the run. False when `seconds` passed first."""
        with self._changed:
            return self._changed.wait_for(lambda: run_id not in self._mail, seconds)

    def drain(self, seconds: float) -> None:
        """Start nothing new and let what is in flight end; what has not ended after `seconds` is stopped."""
        self._draining = True
        self._poke()
        with self._changed:
            self._changed.wait_for(lambda: not self._mail or self._killing, seconds)
        self.kill()

    def kill(self) -> None:
        """Stop what is in flight; it is recorded as interrupted, and the run goes on at the next start."""
        self._draining = self._killing = True
        self._poke()
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._mail, KILL_SECONDS)

    def reopen(self) -> None:
        """Take runs again after a `kill`: the lease that was lost is ours once more."""
        self._draining = self._killing = False

    def _poke(self) -> None:
        with self._lock:
            for mail in self._mail.values():
                mail.poke()

    def _carry(self, run_id: str, make: Callable[[Mailbox], Driver]) -> bool:
        mail = Mailbox()
        with self._lock:
            if self.free <= 0 or run_id in self._mail:
                return False
            self._mail[run_id] = mail
        threading.Thread(target=self._thread, args=(run_id, mail, make), name=run_id, daemon=True).start()
        return True

    def _thread(self, run_id: str, mail: Mailbox, make: Callable[[Mailbox], Driver]) -> None:
        driver: Driver | None = None
        try:
            driver = make(mail)
            self._until_idle(driver, mail)
        except Exception as error:  # noqa: BLE001  # one run's trouble must not take the others down; it is told
            self._say(self._custody.let_go(run_id, error))
        finally:
            self._leave(run_id, driver)

    def _until_idle(self, driver: Driver, mail: Mailbox) -> None:
        store = self._outside.store
        wait = driver.advance(messages=store.messages(driver.run.id) if driver.run.version else ())
        while driver.busy:
            letters = mail.take(self._outside.clock, wait.until)
            driver.draining = self._draining
            if self._killing:
                driver.abandon()
            arrivals = [letter for letter in letters if isinstance(letter, Arrival)]
            told = store.messages(driver.run.id) if len(arrivals) < len(letters) else []
            wait = driver.advance(arrivals, told)
        if not driver.run.state.ended:
            self._custody.park(driver.run)

    def _leave(self, run_id: str, driver: Driver | None) -> None:
        if driver is not None:
            driver.abandon()
        with self._changed:
            self._mail.pop(run_id, None)
            self._changed.notify_all()
        self._on_idle()

    def _say(self, notice: Notice | None) -> None:
        if notice is not None:
            with suppress(Exception):  # an observer cannot hurt
                self._outside.sink.notice(notice)
