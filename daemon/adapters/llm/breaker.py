"""Stops asking an endpoint that is down, and tries again later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from .trouble import HOPELESS, Fault, Trouble

FAILURES: Final = 3
"""Decisions in a row without an answer before nobody waits for the next one."""
FIRST: Final = 30.0
LONGEST: Final = 600.0


class Breaker:
    """Thread safe. `boot` is a clock in seconds that only goes forward."""

    def __init__(self, boot: Callable[[], float]) -> None:
        self._boot = boot
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0
        self._pause = FIRST
        self._trying = False
        self.reason = ""

    def admits(self) -> bool:
        """Whether to ask now. After a pause one question is let through; the others wait for what it comes to."""
        with self._lock:
            if not self.reason:
                return True
            if self._boot() < self._until or self._trying:
                return False
            self._trying = True
            return True

    def answered(self) -> None:
        with self._lock:
            self._failures, self._pause, self._trying, self.reason = 0, FIRST, False, ""

    def let_go(self) -> None:
        """The question that was let through came to nothing that tells about the endpoint."""
        with self._lock:
            self._trying = False

    def failed(self, trouble: Trouble) -> bool:
        """True where this opened the breaker: from now on nobody is asked for a while."""
        with self._lock:
            self._failures += 1
            tried, self._trying = self._trying, False
            if not (tried or trouble.fault in HOPELESS or self._failures >= FAILURES or self._long(trouble)):
                return False
            was_closed, self.reason = not self.reason, str(trouble)
            self._until = self._boot() + min(LONGEST, max(self._pause, trouble.retry_after or 0.0))
            self._pause = min(LONGEST, self._pause * 2)
            return was_closed

    @staticmethod
    def _long(trouble: Trouble) -> bool:
        return trouble.fault is Fault.RATE_LIMIT and (trouble.retry_after or 0.0) >= FIRST
