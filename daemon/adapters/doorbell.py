"""Wakes the daemon that leads when a person has left something for it. A FIFO in the state folder.

Only a courtesy: whoever leads looks by itself every few seconds, so a ring that is lost costs time and nothing else.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..runtime.loop import Duty


class Doorbell:
    """One process listens, any other on this machine may ring."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends: tuple[int, ...] = ()
        """Of the FIFO, and of a pipe that is this process's own: what is written to a FIFO another may read."""
        self._thread: threading.Thread | None = None

    def listen(self, answer: Callable[[], None]) -> None:
        """Call `answer`, in a thread of its own, at every ring. Where there can be no FIFO nobody rings."""
        if self._ends:
            return
        with suppress(OSError):
            with suppress(FileExistsError):
                os.mkfifo(self._path, 0o600)
            # Opened for writing as well: a FIFO whose last writer has gone would be at its end for good.
            bell = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            self._ends = (bell, *os.pipe())
            self._thread = threading.Thread(
                target=_attend, args=(*self._ends[:2], answer), name="doorbell", daemon=True
            )
            self._thread.start()

    def ring(self) -> bool:
        """False where nobody listens."""
        with suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                return os.write(descriptor, b"!") == 1
            finally:
                os.close(descriptor)
        return False

    def close(self) -> None:
        """Stop listening."""
        ends, self._ends = self._ends, ()
        if not ends or self._thread is None:
            return
        os.write(ends[2], b"!")
        self._thread.join()
        for end in ends:
            os.close(end)


def _attend(bell: int, stop: int, answer: Callable[[], None]) -> None:
    while stop not in (ready := select.select([bell, stop], [], [])[0]):
        with suppress(BlockingIOError):  # another process has heard it
            if ready and os.read(bell, 4096):
                answer()


class Attended:
    """A duty that hears the doorbell for as long as it leads."""

    def __init__(self, duty: Duty, doorbell: Doorbell, answer: Callable[[], None]) -> None:
        self._duty = duty
        self._doorbell = doorbell
        self._answer = answer

    def lead(self) -> bool:
        return self._duty.lead()

    def take_over(self) -> None:
        self._doorbell.listen(self._answer)
        self._duty.take_over()

    def take_up(self) -> None:
        self._duty.take_up()

    def tick(self) -> datetime:
        return self._duty.tick()

    def stand_down(self) -> None:
        self._doorbell.close()
        self._duty.stand_down()
