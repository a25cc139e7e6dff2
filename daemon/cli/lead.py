"""Carries several runs: in this process while it holds the lease, else by the daemon that does."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..ports import StoreUnavailable
from ..runtime.loop import LEASE_SECONDS
from ..runtime.recall import recall
from .carrying import GLANCE_SECONDS, RENEW_SECONDS, Bulletin

if TYPE_CHECKING:
    from ..app import Daemon


class Lead:
    """`carry` moves the runs on and waits a moment; it is called again and again."""

    def __init__(self, daemon: Daemon, bulletin: Bulletin) -> None:
        self._daemon = daemon
        self._bulletin = bulletin
        self._leads = False
        self._asked_at = float("-inf")

    def carry(self, runs: Iterable[str]) -> None:
        """Raises StoreUnavailable where this process met trouble in carrying them."""
        self._ask()
        if self._bulletin.trouble:
            raise StoreUnavailable(self._bulletin.trouble)
        wanted = self._daemon.store.due(self._daemon.clock.now(), self._daemon.owner, 1000) if self._leads else []
        for run in set(runs).intersection(wanted):
            self._daemon.executor.drive(run)
        self._bulletin.news.wait(GLANCE_SECONDS)
        self._bulletin.news.clear()

    def _ask(self) -> None:
        if time.monotonic() - self._asked_at < RENEW_SECONDS:
            return
        self._asked_at = time.monotonic()
        before = self._leads
        self._leads = self._daemon.store.lead(self._daemon.owner, LEASE_SECONDS) is not None
        if before and not self._leads:
            self._daemon.executor.kill()
        if self._leads and not before:
            recall(self._daemon.outside)
        if not self._leads:
            self._daemon.doorbell.ring()
