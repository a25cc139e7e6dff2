"""Ctrl-C is heard at once and obeyed between two looks, never in the middle of a transaction."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupts:
    """The first Ctrl-C waits for `check`; a second one is obeyed where it strikes."""

    def __init__(self) -> None:
        self._heard = False

    def hear(self, *_: object) -> None:
        if self._heard:
            raise KeyboardInterrupt
        self._heard = True

    def check(self) -> None:
        """Raises KeyboardInterrupt where one was heard."""
        if self._heard:
            raise KeyboardInterrupt


@contextmanager
def heard() -> Iterator[Interrupts]:
    """Raised in the middle of a lock, KeyboardInterrupt would leave it held, and closing would wait for ever."""
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, interrupts.hear)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
