"""The supervisor's event loop: descriptors, alarms, and commands from other threads."""

from __future__ import annotations

import logging
import os
import selectors
from collections.abc import Callable
from queue import Empty, SimpleQueue

from daemon.adapters.sandbox import linux
from daemon.adapters.sandbox.alarms import Alarms

_log = logging.getLogger(__name__)

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Loop:
    """Runs every callback in one thread; only `post` may be called from others."""

    def __init__(self) -> None:
        self.alarms = Alarms()
        self._selector = selectors.DefaultSelector()
        self._mailbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.watch(self._bell, self._open_mailbox)

    def post(self, command: Callable[[], None]) -> None:
        """Have the loop run `command` soon, in the order of posting; from any thread."""
        self._mailbox.put(command)
        os.eventfd_write(self._bell, 1)

    def watch(self, descriptor: int, callback: Callable[[], None], mask: int = READ) -> None:
        """Call back whenever the descriptor is ready, until `unwatch`; a second call changes the first."""
        if descriptor in self._selector.get_map():
            self._selector.modify(descriptor, mask, callback)
        else:
            self._selector.register(descriptor, mask, callback)

    def unwatch(self, descriptor: int) -> None:
        """Forget the descriptor; it may be unknown."""
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)

    def run(self, until: Callable[[], bool]) -> None:
        """Turn until the condition holds, then let go of everything."""
        while not until():
            self.turn()
        self._selector.close()
        os.close(self._bell)

    def turn(self) -> None:
        """Wait for the next event or alarm and serve it."""
        for key, _ in self._selector.select(self.alarms.wait(linux.now())):
            if self._selector.get_map().get(key.fd) is key:  # an earlier callback may have closed it
                self._guarded(key.data, key.fd)
        self._guarded(lambda: self.alarms.ring(linux.now()), None)

    def _guarded(self, callback: Callable[[], None], descriptor: int | None) -> None:
        try:
            callback()
        except Exception:
            _log.exception("the tool sandbox met a fault of its own and goes on; the call's deadline still holds")
            if descriptor is not None and descriptor != self._bell:
                self.unwatch(descriptor)

    def _open_mailbox(self) -> None:
        os.eventfd_read(self._bell)
        try:
            while True:
                self._mailbox.get_nowait()()
        except Empty:
            return
