"""The supervisor's event loop: descriptors, alarms, and commands from other threads."""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import threading
from collections.abc import Callable
from queue import SimpleQueue

from daemon.adapters.sandbox import linux
from daemon.adapters.sandbox.alarms import Alarms

_log = logging.getLogger(__name__)

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Loop:
    """Runs every callback in one thread; only `post` may be called from others."""

    def __init__(self) -> None:
        self.alarms = Alarms()
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, Callable[[], None]] = {}
        self._mailbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.watch(self._bell, self._open_mailbox)

    def post(self, command: Callable[[], None]) -> bool:
        """Have the loop run `command` soon, in order of posting; from any thread. False when it has ended."""
        with self._closing:  # a bell that is closed may by now be another file
            if not self._closed:
                self._mailbox.put(command)
                os.eventfd_write(self._bell, 1)
            return not self._closed

    def watch(self, descriptor: int, callback: Callable[[], None], mask: int = READ) -> None:
        """Call back whenever the descriptor is ready, until `unwatch`; a second call changes the first."""
        change = self._selector.modify if descriptor in self._watched else self._selector.register
        change(descriptor, mask, callback)
        self._watched[descriptor] = callback

    def unwatch(self, descriptor: int) -> None:
        """Forget the descriptor; it may be unknown."""
        if self._watched.pop(descriptor, None) is not None:
            self._selector.unregister(descriptor)

    def run(self, until: Callable[[], bool]) -> None:
        """Turn until the condition holds, then let go of everything."""
        while not until():
            self.turn()
        with self._closing:
            self._closed = True
        self._open_mailbox()
        self._selector.close()
        os.close(self._bell)

    def turn(self) -> None:
        """Wait for the next event or alarm and serve it."""
        for key, _ in self._selector.select(self.alarms.wait(linux.now())):
            callback = self._watched.get(key.fd)
            if callback is key.data and callback is not None:  # an earlier callback may have closed it
                self._guarded(callback, key.fd)
        self._guarded(lambda: self.alarms.ring(linux.now()), None)

    def _guarded(self, callback: Callable[[], None], descriptor: int | None) -> None:
        try:
            callback()
        except Exception:  # noqa: BLE001 - one broken callback must not end the watch over all other calls
            _log.exception("the tool sandbox met a fault of its own and goes on; the call's deadline still holds")
            if descriptor is not None and descriptor != self._bell:
                self.unwatch(descriptor)

    def _open_mailbox(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._bell)
        while not self._mailbox.empty():
            self._mailbox.get_nowait()()
