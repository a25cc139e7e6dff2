"""What the daemon does while it holds the lease."""

from __future__ import annotations

from datetime import datetime

from ..ports import EventSink, Notice, Severity, Store
from .executor import Executor
from .loop import LEASE_SECONDS
from .scheduler import Scheduler


class Service:
    """The Duty of a serving daemon: fire what is due, carry what wants carrying."""

    def __init__(self, owner: str, store: Store, sink: EventSink, executor: Executor, scheduler: Scheduler) -> None:
        self._owner = owner
        self._store = store
        self._sink = sink
        self._executor = executor
        self._scheduler = scheduler

    def lead(self) -> bool:
        return self._store.lead(self._owner, LEASE_SECONDS) is not None

    def take_over(self) -> None:
        self._scheduler.adopt()
        self._sink.notice(Notice("serving", "this daemon holds the lease and serves", Severity.INFO))

    def tick(self) -> datetime:
        return self._scheduler.tick()

    def stand_down(self) -> None:
        """The lease is lost: whatever is still in flight here belongs to someone else now."""
        self._sink.notice(Notice("lease_lost", "another daemon took over; stopping what is in flight here"))
        self._executor.kill()
