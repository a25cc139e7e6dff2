"""Whose turn it is at a destination that takes one call at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

MOST = 1_000
"""Destinations and promises that are remembered; beyond that those whose time is over are dropped."""
_ROUNDING = 0.001


@dataclass(slots=True)
class Pacer:
    """Seconds on the clock that no step of the wall clock moves. Thread safe.

    Turns are kept in memory, for they are short; that a run waits for its turn is stored with the run.
    """

    _free: dict[str, float] = field(default_factory=dict)
    """When each place takes the next call."""
    _promised: dict[tuple[str, str], float] = field(default_factory=dict)
    _held: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def turn(self, place: str, who: str, pace: float, now: float) -> float:
        """Seconds to wait; 0 where the call may be made now. Who comes back then has its turn."""
        with self._lock:
            at = self._promised.pop((place, who), None)
            if at is None or at < self._held.get(place, 0.0):
                at = max(now, self._free.get(place, now))
                self._free[place] = at + pace
            if at - now <= _ROUNDING:
                return 0.0
            self._promised[place, who] = at
            self._tidy(now)
            return at - now

    def took(self, place: str, pace: float, now: float) -> None:
        """A call that waits for nobody was made; the others move back."""
        with self._lock:
            self._free[place] = max(now, self._free.get(place, now)) + pace

    def hold(self, place: str, until: float) -> None:
        """It asked to be left alone: nobody has a turn before `until`."""
        with self._lock:
            if until > self._held.get(place, 0.0):
                self._held[place] = until
                self._free[place] = max(until, self._free.get(place, 0.0))

    def _tidy(self, now: float) -> None:
        if len(self._free) + len(self._promised) > MOST:
            self._free = {name: at for name, at in self._free.items() if at > now}
            self._held = {name: at for name, at in self._held.items() if at > now}
            self._promised = {who: at for who, at in self._promised.items() if at > now}
