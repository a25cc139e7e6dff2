"""Many units of work, one flush: whoever finds the writer free commits what is queued, for everybody.

There is no thread. The first unit to find nobody writing leads: it runs itself and whatever is queued by then, each
other unit in a savepoint of its own, commits once, and only then tells the others. While it flushes, the next batch
gathers by itself. Those who were just told are likely to come again at once, so the next leader waits for them, at most
half as long as the last flush took; who writes alone never waits.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import Any, Final, Generic, Protocol, TypeVar

from daemon.ports import StoreUnavailable

T = TypeVar("T")
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)


LONGEST_WAIT: Final = 0.005
"""Seconds; however slow the disk is."""


class Transactions(Protocol[C_co]):
    """One write connection. Every method may raise StoreUnavailable; after that nothing of the batch is stored."""

    def begin(self) -> C_co: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def abandon(self) -> None:
        """Give up the transaction and the connection, of which nothing is certain any more; never raises."""
        ...

    def savepoint(self) -> None: ...

    def release(self) -> None: ...

    def undo(self) -> None:
        """Back to the savepoint."""
        ...


class Unit(Generic[C, T]):
    """One piece of work and how it came out. `woken` is released when it is done, or is to lead."""

    def __init__(self, work: Callable[[C], T]) -> None:
        self._work = work
        self._result: T | None = None
        self.error: BaseException | None = None
        self.done = False
        self.woken = Lock()
        self.woken.acquire()

    def run(self, connection: C) -> bool:
        """Whether it went well."""
        try:
            self._result = self._work(connection)
        except Exception as error:  # noqa: BLE001 - it belongs to the thread that queued the unit, which raises it
            self.error = error
        return self.error is None

    def fail(self, error: StoreUnavailable) -> None:
        """Whatever the work came to, it is not stored."""
        self.error = error
        self.done = True

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]  # without an error there is a result


class GroupCommit(Generic[C]):
    """`run` returns when the work is durable, or raises what the work or the commit raised."""

    def __init__(
        self,
        transactions: Transactions[C],
        most: int = 64,
        longest_wait: float = LONGEST_WAIT,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._transactions = transactions
        self._most = most
        self._longest_wait = longest_wait
        self._clock = clock
        self._queue: deque[Unit[C, Any]] = deque()
        self._mutex = Lock()
        self._led = False
        self._company = 0
        """How many wrote, or waited to, when the last batch was done."""
        self._patience = 0.0
        self._complete = Event()

    @property
    def waiting(self) -> int:
        """Units that wait for the writer."""
        return len(self._queue)

    def run(self, work: Callable[[C], T]) -> T:
        unit = Unit(work)
        if not self._leads(unit):
            unit.woken.acquire()
        if not unit.done:
            self._lead()
        return unit.outcome()

    def _leads(self, unit: Unit[C, Any]) -> bool:
        with self._mutex:
            self._queue.append(unit)
            if len(self._queue) >= self._company:
                self._complete.set()
            free, self._led = not self._led, True
            return free

    def _lead(self) -> None:
        batch: list[Unit[C, Any]] = []
        try:
            self._gather()
            self._write(batch)
        finally:
            self._hand_over(batch)

    def _gather(self) -> None:
        with self._mutex:
            self._complete.clear()
            alone = len(self._queue) >= self._company
        if not alone:
            self._complete.wait(self._patience)

    def _next(self, batch: list[Unit[C, Any]]) -> Unit[C, Any] | None:
        """The unit that has waited longest, now of this batch; the leader's own comes first."""
        with self._mutex:
            if not self._queue or len(batch) == self._most:
                return None
            batch.append(self._queue.popleft())
            return batch[-1]

    def _hand_over(self, batch: Sequence[Unit[C, Any]]) -> None:
        """Everybody in the batch hears of it, and the first who came too late for it leads the next."""
        for unit in batch:
            if not unit.done:
                unit.fail(StoreUnavailable("the writer was interrupted; nothing was written"))
            unit.woken.release()
        with self._mutex:
            self._company = min(len(batch) + len(self._queue), self._most)
            self._led = bool(self._queue)
            if self._led:
                self._queue[0].woken.release()

    def _write(self, batch: list[Unit[C, Any]]) -> None:
        first = self._next(batch)
        try:
            connection = self._transactions.begin()
            if first is None or first.run(connection):
                self._rest(connection, batch)
                self._flush()
            else:
                self._transactions.rollback()
        except StoreUnavailable as error:
            self._transactions.abandon()
            for unit in batch:
                unit.fail(StoreUnavailable(*error.args))
        except BaseException:
            self._transactions.abandon()
            raise
        for unit in batch:
            unit.done = True

    def _flush(self) -> None:
        start = self._clock()
        self._transactions.commit()
        self._patience = min((self._clock() - start) / 2, self._longest_wait)

    def _rest(self, connection: C, batch: list[Unit[C, Any]]) -> None:
        """Those who came until now; the first needed no savepoint, as nobody stood before it."""
        while unit := self._next(batch):
            self._transactions.savepoint()
            if not unit.run(connection):
                self._transactions.undo()
            self._transactions.release()
