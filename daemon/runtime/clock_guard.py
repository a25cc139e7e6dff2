"""Notices when the wall clock moves by more than the boot clock explains, and holds firing until that is settled."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..ports import Clock

JUMP = timedelta(seconds=30)
"""Less than this is a clock that is being disciplined, or a late look."""
HOLD_SECONDS = 20.0
"""How long nothing fires after a jump: a clock that was set by mistake is often set back at once."""
TOO_FAR = timedelta(hours=25)
"""A jump ahead by more is not believed: a person is asked."""


class ClockGuard:
    """`look` before anything is fired. The boot clock counts suspend, so waking up is no jump."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._zero = self._difference()
        self._held_until = float("-inf")
        self.jump = timedelta(0)
        """The last one."""

    def look(self) -> bool:
        """Whether the clock has jumped since the last look."""
        difference = self._difference()
        self.jump = difference - self._zero
        self._zero = difference
        if abs(self.jump) < JUMP:
            return False
        self._held_until = self._clock.boot() + HOLD_SECONDS
        return True

    @property
    def holds(self) -> bool:
        return self._clock.boot() < self._held_until

    @property
    def until(self) -> datetime:
        """When the hold is over, by the wall clock as it goes now."""
        return self._clock.now() + timedelta(seconds=max(0.0, self._held_until - self._clock.boot()))

    @property
    def too_far(self) -> bool:
        return self.jump > TOO_FAR

    def _difference(self) -> timedelta:
        return (
            self._clock.now()
            - datetime.min.replace(tzinfo=self._clock.now().tzinfo)
            - timedelta(seconds=self._clock.boot())
        )
