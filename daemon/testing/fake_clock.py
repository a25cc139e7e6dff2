"""A clock that moves only when it is told to, with timers: what runs on it runs in virtual time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TypeAlias

Callback: TypeAlias = Callable[[], None]
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Timer:
    """Something that will happen, unless it is cancelled first."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callback) -> None:
        self._callback: Callback | None = callback

    @property
    def pending(self) -> bool:
        return self._callback is not None

    def cancel(self) -> None:
        self._callback = None

    def ring(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class FakeClock:
    """`daemon.ports.Clock`. Timers follow `boot`; `step` moves the wall clock alone, as a person or NTP does."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._boot = 0.0
        self._order = count()
        self._timers: list[tuple[float, int, Timer]] = []

    def now(self) -> datetime:
        return self._now

    def boot(self) -> float:
        return self._boot

    def step(self, seconds: float) -> None:
        """Set the wall clock forward or back."""
        self._now += timedelta(seconds=seconds)

    def after(self, seconds: float, callback: Callback) -> Timer:
        """Call back once, `seconds` from now."""
        timer = Timer(callback)
        heapq.heappush(self._timers, (self._boot + max(0.0, seconds), next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass; every timer that is due on the way rings at its own time."""
        until = self._boot + seconds
        while self._timers and self._timers[0][0] <= until:
            at, _, timer = heapq.heappop(self._timers)
            self._move(at if timer.pending else self._boot)
            timer.ring()
        self._move(until)

    def ring_next(self) -> bool:
        """Move to the earliest timer and let it ring. False where there is none."""
        while self._timers:
            at, _, timer = heapq.heappop(self._timers)
            if timer.pending:
                self._move(at)
                timer.ring()
                return True
        return False

    def _move(self, boot: float) -> None:
        # A timer may have moved the time on by itself.
        if boot > self._boot:
            self._now += timedelta(seconds=boot - self._boot)
            self._boot = boot
