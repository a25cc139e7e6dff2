"""The executor without threads: the same drivers and the same custody, moved on by a fake clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.domain.job import LedgerRow
from daemon.domain.model import Run
from daemon.domain.plan import Plan
from daemon.runtime.custody import Custody
from daemon.runtime.driver import Arrival, Deliver, Driver
from daemon.runtime.outside import Outside
from daemon.runtime.plans import Plans

from .fake_clock import FakeClock, Timer

Gate = Callable[[Callable[[], None]], None]
LONGEST_WAIT = 30.0


def at_once(callback: Callable[[], None]) -> None:
    """The gate of a process that is never frozen: what arrives is taken in now."""
    callback()


def nothing() -> None:
    """Nobody waits for room."""


@dataclass(slots=True)
class Seat:
    """Where one driver sits while it has something in flight."""

    driver: Driver | None = None
    timer: Timer | None = None


class InlineExecutor:
    """`daemon.runtime.scheduler.Carrier`, single threaded. Every outcome and every wake goes through `gate`."""

    parallel = 8

    def __init__(
        self,
        outside: Outside,
        plans: Plans,
        clock: FakeClock,
        *,
        gate: Gate = at_once,
        on_idle: Callable[[], None] = nothing,
    ) -> None:
        self._outside = outside
        self._plans = plans
        self._clock = clock
        self._gate = gate
        self._on_idle = on_idle
        self._custody = Custody(outside, plans)
        self._seats: dict[str, Seat] = {}
        self._draining = False

    @property
    def free(self) -> int:
        return 0 if self._draining else self.parallel - len(self._seats)

    @property
    def lost(self) -> frozenset[str]:
        return self._custody.lost

    @property
    def returns_in(self) -> float | None:
        return self._custody.returns_in

    @property
    def shunned(self) -> frozenset[str]:
        return self._custody.shunned

    @property
    def carried(self) -> frozenset[str]:
        return frozenset(self._seats)

    def doubts(self) -> bool:
        """Whether a run met a failing store since this was asked last: it may be another store by now."""
        return self._custody.doubts()

    def begin(self, run: Run, plan: Plan, ledger: LedgerRow | None = None) -> bool:
        return self._carry(run.id, lambda deliver: Driver(self._outside, plan, run, deliver, ledger))

    def drive(self, run_id: str) -> bool:
        if run_id in self._seats:
            self._look(run_id, self._seats[run_id])
            return True
        return self._carry(run_id, lambda deliver: self._custody.resume(run_id, deliver))

    def look(self) -> None:
        """Every run that is carried looks again, as after the longest wait."""
        for run_id, seat in list(self._seats.items()):
            self._look(run_id, seat)

    def drain(self) -> None:
        self._draining = True

    def kill(self) -> None:
        """Stop what is in flight; its outcomes come as `interrupted`."""
        self._draining = True
        for seat in list(self._seats.values()):
            if seat.driver is not None:
                seat.driver.abandon()

    def reopen(self) -> None:
        self._draining = False

    def _carry(self, run_id: str, make: Callable[[Deliver], Driver]) -> bool:
        if self.free <= 0:
            return False
        seat = self._seats[run_id] = Seat()

        def deliver(arrival: Arrival) -> None:
            # Never in the midst of an advance: an outcome may be known before its launch has returned.
            self._clock.after(0.0, lambda: self._gate(lambda: self._look(run_id, seat, [arrival])))

        def sit_down() -> None:
            seat.driver = make(deliver)
            self._advance(run_id, seat, [])

        self._guarded(run_id, seat, sit_down)
        return True

    def _look(self, run_id: str, seat: Seat, arrivals: Sequence[Arrival] = ()) -> None:
        if self._seats.get(run_id) is seat and seat.driver is not None:
            self._guarded(run_id, seat, lambda: self._advance(run_id, seat, arrivals))

    def _guarded(self, run_id: str, seat: Seat, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001  # as the executor does
            if notice := self._custody.let_go(run_id, error):
                self._outside.sink.notice(notice)
            self._leave(run_id, seat)

    def _advance(self, run_id: str, seat: Seat, arrivals: Sequence[Arrival]) -> None:
        driver = seat.driver
        if driver is None:
            return
        driver.draining = self._draining
        wait = driver.advance(arrivals, self._outside.store.messages(run_id) if driver.run.version else ())
        if driver.busy:
            self._wake(run_id, seat, (wait.until - self._clock.now()).total_seconds() if wait.until else LONGEST_WAIT)
            return
        if not driver.run.state.ended:
            self._custody.park(driver.run)
        self._leave(run_id, seat)

    def _wake(self, run_id: str, seat: Seat, seconds: float) -> None:
        if seat.timer is not None:
            seat.timer.cancel()
        seat.timer = self._clock.after(seconds, lambda: self._gate(lambda: self._look(run_id, seat)))

    def _leave(self, run_id: str, seat: Seat) -> None:
        if seat.driver is not None:
            seat.driver.abandon()
        if seat.timer is not None:
            seat.timer.cancel()
        if self._seats.get(run_id) is seat:
            del self._seats[run_id]
            self._on_idle()
