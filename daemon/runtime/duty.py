"""What the daemon does while it holds the lease."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from ..ports import Notice, Severity, StoreError
from .loop import LEASE_SECONDS
from .outside import Outside
from .recall import recall
from .renewal import Jobs, Renewal
from .scheduler import Scheduler


class Hands(Protocol):
    """What the duty needs of the executor."""

    def doubts(self) -> bool: ...

    def reopen(self) -> None: ...

    def kill(self) -> None: ...


class Service:
    """The Duty of a serving daemon: fire what is due, carry what wants carrying."""

    def __init__(self, outside: Outside, executor: Hands, scheduler: Scheduler, renewal: Renewal | None = None) -> None:
        self._outside = outside
        self._executor = executor
        self._scheduler = scheduler
        self._renewal = renewal or Renewal()

    def lead(self) -> bool:
        """Renew the lease; from then on whatever is fired and claimed here names its epoch."""
        epoch = self._outside.store.lead(self._outside.owner, LEASE_SECONDS)
        if epoch is not None:
            self._outside.fence.epoch = epoch
        return epoch is not None

    def take_over(self) -> None:
        recall(self._outside)
        self._executor.reopen()
        self._scheduler.adopt()
        self._outside.sink.notice(Notice("serving", "this daemon holds the lease and serves", Severity.INFO))

    def take_up(self) -> None:
        recall(self._outside)
        self._scheduler.take_up()

    def tick(self) -> datetime:
        if self._executor.doubts():
            self.take_up()
        if jobs := self._renewal.take():
            self._renew(jobs)
        return self._scheduler.tick()

    def _renew(self, jobs: Jobs) -> None:
        """Where the store is away, it is tried again with the next tick."""
        try:
            self._scheduler.reload(jobs.by_id, jobs.absent)
        except StoreError:
            self._renewal.offer(jobs)
            raise

    def stand_down(self) -> None:
        """The lease is lost: whatever is still in flight here belongs to someone else now."""
        notice = Notice("lease_lost", "another daemon took over; stopping what is in flight here")
        self._outside.sink.notice(notice)
        self._executor.kill()
