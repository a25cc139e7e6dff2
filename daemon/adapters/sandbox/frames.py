"""Strict JSON in length-prefixed frames: how calls and results cross a stream socket."""

from __future__ import annotations

import json
import math
import socket
import struct
from collections.abc import Iterator
from typing import Any

_LENGTH = struct.Struct("!Q")


class FrameError(ValueError):
    """What came over the socket is not a frame of ours."""


class FrameTooLargeError(FrameError):
    """The other side announced more bytes than are allowed here."""


def _refuse_constant(name: str) -> float:
    raise FrameError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise FrameError(f"{text} does not fit a finite number")
    return value


_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def dumps(value: object) -> bytes:
    """Strict JSON; raises ValueError for NaN and infinities, TypeError for what is not JSON."""
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def loads(text: bytes) -> Any:
    """The value again; raises FrameError for anything that strict JSON does not know."""
    try:
        return _DECODER.decode(text.decode("utf-8", "surrogatepass"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FrameError(f"not JSON: {error}") from error


def pack(value: object) -> bytes:
    """One frame: eight bytes of length, then JSON."""
    body = dumps(value)
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Cuts a stream of bytes into values; holds at most one unfinished frame of `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """Every value that is whole now; raises FrameError."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            size = self._size()
            end = _LENGTH.size + size
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield loads(body)

    def _size(self) -> int:
        (size,) = _LENGTH.unpack_from(self._buffer)
        if size > self.limit:
            raise FrameTooLargeError(f"a frame of {size} bytes; at most {self.limit} are allowed")
        return int(size)


def receive(channel: socket.socket) -> Any:
    """Wait for one value on a blocking socket; None at its end."""
    reader = FrameReader(limit=1 << 40)
    while data := channel.recv(1 << 16):
        for value in reader.feed(data):
            return value
    return None
