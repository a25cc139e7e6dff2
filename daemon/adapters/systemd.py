"""What systemd is told, by its notification socket. Without one every call does nothing. Never raises."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from datetime import datetime

from ..domain.health import Health
from ..runtime.loop import Sleeper


class Notifier:
    """One datagram a message. `address` is a path, or `@name` in the abstract space."""

    def __init__(self, address: str = "") -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address

    @classmethod
    def taken_from(cls, environ: MutableMapping[str, str] = os.environ) -> Notifier:
        """The variables are taken out: no child may speak for us."""
        for name in ("WATCHDOG_USEC", "WATCHDOG_PID"):
            environ.pop(name, None)
        return cls(environ.pop("NOTIFY_SOCKET", ""))

    @property
    def listens(self) -> bool:
        return bool(self._address)

    def ready(self) -> None:
        self._send("READY=1")

    def alive(self) -> None:
        """Feeds the watchdog."""
        self._send("WATCHDOG=1")

    def status(self, line: str) -> None:
        self._send(f"STATUS={' '.join(line.split())}")

    def reloading(self) -> None:
        """Until `ready`. Without the clock's reading in the same datagram a reload would hang."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    def stopping(self, seconds: float) -> None:
        """The end may take this long."""
        self._send(f"STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.settimeout(1.0)
            sender.sendto(message.encode(), self._address)


class Heartbeat:
    """A Sleeper around the loop's own: whoever lies down to sleep has made a turn, and so is alive.

    Nothing else feeds the watchdog, so a loop that hangs is noticed whatever other threads do.
    """

    def __init__(
        self, sleeper: Sleeper, notifier: Notifier, health: Callable[[], Health], status: Callable[[], str]
    ) -> None:
        self._sleeper = sleeper
        self._notifier = notifier
        self._health = health
        self._status = status
        self._ready = False
        self._told = ""

    def wait(self, until: datetime) -> None:
        if self._notifier.listens:
            self._beat()
        self._sleeper.wait(until)

    def _beat(self) -> None:
        self._notifier.alive()
        health = self._health()
        status = health.why or self._status()
        if status != self._told:
            self._told = status
            self._notifier.status(status)
        if health.ready and not self._ready:
            self._ready = True
            self._notifier.ready()
