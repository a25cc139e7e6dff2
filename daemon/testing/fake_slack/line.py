"""One web socket of Socket Mode, from Slack's side: it greets, delivers envelopes, and hears who acknowledges."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4


class Line:
    """A `deaf` line neither answers pings nor delivers, a `mute` one answers them and delivers nothing.

    Raises OSError where the other side has gone already.
    """

    def __init__(self, connection: socket.socket, deaf: Callable[[], bool]) -> None:
        self._connection = connection
        self._deaf = deaf
        self._acknowledged: set[str] = set()
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self.mute = False
        self.open = True
        try:
            self._greet()
            self._send(1, json.dumps({"type": "hello", "num_connections": 1}).encode())
        except OSError:
            connection.close()
            raise
        threading.Thread(target=self._read, daemon=True).start()

    def deliver(self, payload: Any, seconds: float = 5.0) -> float:
        """Seconds until it was acknowledged. Raises TimeoutError."""
        begun, envelope = time.monotonic(), f"envelope-{uuid4()}"
        if not self._deaf() and not self.mute:
            message = {"type": "interactive", "envelope_id": envelope, "payload": payload}
            self._send(1, json.dumps(message).encode())
        with self._changed:
            self._changed.wait_for(lambda: envelope in self._acknowledged, seconds)
            if envelope not in self._acknowledged:
                raise TimeoutError("nobody acknowledged the press")
        return time.monotonic() - begun

    def close(self) -> None:
        self.open = False
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _greet(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            more = self._connection.recv(4096)
            if not more:
                raise OSError("gone")
            head += more
        key = next(
            line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")
        )
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())  # noqa: S324
        self._connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )

    def _send(self, kind: int, content: bytes) -> None:
        size = len(content)
        length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
        with self._sending:
            self._connection.sendall(bytes([0x80 | kind]) + length + content)

    def _read(self) -> None:
        try:
            while True:
                kind, content = self._frame()
                if kind == 9 and not self._deaf():
                    self._send(10, content)
                elif kind == 1:
                    with self._changed:
                        self._acknowledged.add(json.loads(content).get("envelope_id", ""))
                        self._changed.notify_all()
                elif kind == 8:
                    break
        except OSError:
            pass
        self.close()

    def _frame(self) -> tuple[int, bytes]:
        first, second = self._exactly(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self._exactly(2))
        mask = self._exactly(4)
        return first & 0xF, bytes(byte ^ mask[at % 4] for at, byte in enumerate(self._exactly(size)))

    def _exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            more = self._connection.recv(size - len(found))
            if not more:
                raise OSError("closed")
            found += more
        return found
