"""The least of Slack that a pen and a socket need: Web API calls are noted, envelopes are sent and acknowledged."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

Answer = tuple[int, Mapping[str, str], bytes]
FINE: Answer = (200, {}, b'{"ok": true}')


class StandIn:
    """`answers` are what a method gives instead of `{"ok": true}`; `deaf` sockets neither pong nor deliver."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, str]] = []
        self.answers: dict[str, Answer] = {}
        self.deaf = False
        self.sockets: list[Line] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/api/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self.sockets:
            line.close()

    def press(self, payload: Any) -> float:
        """Send it to the newest connection; seconds until it is acknowledged."""
        return self.sockets[-1].deliver(payload)

    def methods(self) -> list[str]:
        return [method for method, _, _ in self.calls]

    def _answer(self, method: str, arguments: Any, token: str) -> Answer:
        self.calls.append((method, arguments, token))
        if method == "apps.connections.open" and method not in self.answers:
            port = self._listener.getsockname()[1]
            return 200, {}, json.dumps({"ok": True, "url": f"ws://127.0.0.1:{port}/link/{len(self.calls)}"}).encode()
        return self.answers.get(method, FINE)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with suppress(OSError):  # whoever came has gone already
                self.sockets.append(Line(connection, lambda: self.deaf))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_json = "json" in self.headers.get("Content-Type", "")
                arguments = json.loads(content) if is_json else content.decode()
                status, headers, body = answer(
                    self.path.rpartition("/")[2], arguments, self.headers.get("Authorization", "")
                )
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Quiet."""

        return Handler


class Line:
    """One web socket, from the server's side."""

    def __init__(self, connection: socket.socket, deaf: Callable[[], bool]) -> None:
        self._connection = connection
        self._deaf = deaf
        self._acknowledged: set[str] = set()
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self.open = True
        try:
            self._greet()
            self._send(1, json.dumps({"type": "hello", "num_connections": 1}).encode())
        except OSError:
            connection.close()
            raise
        threading.Thread(target=self._read, daemon=True).start()

    def deliver(self, payload: Any, seconds: float = 5.0) -> float:
        begun, envelope = time.monotonic(), f"envelope-{uuid4()}"
        if not self._deaf():
            message = {"type": "interactive", "envelope_id": envelope, "payload": payload}
            self._send(1, json.dumps(message).encode())
        with self._changed:
            self._changed.wait_for(lambda: envelope in self._acknowledged, seconds)
        assert envelope in self._acknowledged, "nobody acknowledged the press"
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
