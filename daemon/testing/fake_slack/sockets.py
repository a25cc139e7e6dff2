"""Socket Mode: addresses are given out by the Web API, and presses go to the newest connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .line import Line
from .workspace import Message, Refusal, Workspace


class Sockets:
    """`deaf`: connections stay open, and neither answer nor deliver."""

    def __init__(self) -> None:
        self.deaf = False
        self.lines: list[Line] = []
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._listener.getsockname()[1]}/link/"

    def open(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self.lines:
            line.close()

    def mute(self) -> None:
        """The connections that are open go on answering pings, and deliver nothing any more; a new one works."""
        for line in self.lines:
            line.mute = True

    def press(self, payload: Any) -> float:
        """Seconds until it was acknowledged. Raises TimeoutError, and LookupError where nobody is connected."""
        if not self.lines:
            raise LookupError("nobody is connected")
        return self.lines[-1].deliver(payload)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with suppress(OSError):  # whoever came has gone already
                self.lines.append(Line(connection, lambda: self.deaf))


def connect(workspace: Workspace, _: Mapping[str, Any]) -> Message:
    """A fresh address each time."""
    if not workspace.socket_url:
        raise Refusal("internal_error")
    return {"url": f"{workspace.socket_url}{workspace.number()}"}
