"""Wait for bytes that nobody sends."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool


class Input(ToolInput):
    """Who does not answer."""

    url: str
    """Its address."""


class Output(ToolOutput):
    """Never seen."""

    byte: str

    def summary(self) -> str:
        """Never seen."""
        return self.byte


@tool()
def waits(request: Input, context: ToolContext) -> Output:
    """Wait for bytes that nobody sends."""
    place = urlsplit(request.url)
    with socket.create_connection((place.hostname or "", place.port or 80)) as line:
        line.sendall(b"GET /hang HTTP/1.0\r\n\r\n")
        return Output(byte=line.recv(1).decode())
