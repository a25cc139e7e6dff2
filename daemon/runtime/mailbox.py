"""Where whoever carries a run finds what arrived for it."""

from __future__ import annotations

import queue
from dataclasses import dataclass
from datetime import datetime

from ..ports import Clock
from .driver import Arrival


@dataclass(frozen=True, slots=True)
class Poke:
    """Look again: a person left a message, or the daemon is stopping."""


class Mailbox:
    """Many may put, one takes."""

    LONGEST_WAIT = 30.0

    def __init__(self) -> None:
        self._letters: queue.SimpleQueue[Arrival | Poke] = queue.SimpleQueue()

    def put(self, arrival: Arrival) -> None:
        self._letters.put(arrival)

    def poke(self) -> None:
        self._letters.put(Poke())

    def take(self, clock: Clock, until: datetime | None) -> list[Arrival | Poke]:
        """Everything that is there; waits for the first letter, at most to `until` or half a minute."""
        seconds = self.LONGEST_WAIT
        if until is not None:
            seconds = min(seconds, max(0.0, (until - clock.now()).total_seconds()))
        try:
            letters = [self._letters.get(timeout=seconds)]
        except queue.Empty:
            return []
        while True:
            try:
                letters.append(self._letters.get_nowait())
            except queue.Empty:
                return letters
