"""The supervisor's end of one worker."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from typing import Any

from daemon.adapters.sandbox.frames import FrameReader
from daemon.adapters.sandbox.protocol import TAIL_BYTES

_CHUNK = 1 << 16
_KEPT = TAIL_BYTES + 1024
"""A little more than the tail, so that a secret cut in two by its edge is still recognised."""


class Tail:
    """The last bytes that came out of a pipe."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._kept = b""

    def drain(self) -> bool:
        """Take what is there, at most one pipe full: a tool that never stops printing holds up only itself.

        False when nobody can write any more.
        """
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return True
        self._kept = (self._kept + data)[-_KEPT:]
        return bool(data)

    def bytes(self) -> bytes:
        """What was kept."""
        return self._kept

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self.descriptor)


class WorkerHandle:
    """Socket, output and process handle of one worker; the handle cannot hit another process by mistake."""

    def __init__(self, pid: int, channel: int, tail: int, process: int) -> None:
        self.pid = pid
        self.channel = socket.socket(fileno=channel)
        self.channel.setblocking(False)
        self.tail = Tail(tail)
        self._process = process
        self.at_end = False
        self._outgoing = b""
        self._reader = FrameReader(limit=0)

    def send(self, frame: bytes, answer_limit: int) -> None:
        """Begin to send; `flush` goes on when the socket has room. Answers above the limit are refused."""
        self._reader.limit = answer_limit
        self._outgoing += frame
        self.flush()

    @property
    def sending(self) -> bool:
        """Something is left to send."""
        return bool(self._outgoing)

    def flush(self) -> None:
        """Send what fits now; nothing more once the worker is gone."""
        try:
            while self._outgoing:
                self._outgoing = self._outgoing[self.channel.send(self._outgoing) :]
        except BlockingIOError:
            return
        except (BrokenPipeError, ConnectionResetError):
            self._outgoing = b""

    def receive(self) -> Iterator[Any]:
        """Every message that has arrived whole; raises FrameError."""
        while data := self._read():
            yield from self._reader.feed(data)

    def _read(self) -> bytes:
        try:
            data = self.channel.recv(_CHUNK)
        except BlockingIOError:
            return b""
        except ConnectionResetError:
            data = b""
        self.at_end = not data
        return data

    def signal(self, number: int = signal.SIGKILL) -> None:
        """Signal the worker, which may be gone."""
        if self._process < 0:  # closed: the number may be another worker's by now
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, number)

    def close(self) -> None:
        """Let go of all three descriptors."""
        self.channel.close()
        self.tail.close()
        os.close(self._process)
        self._process = -1
