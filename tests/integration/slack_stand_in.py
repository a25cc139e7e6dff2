"""The least of Slack that a pen and a socket need: Web API calls are noted, envelopes are sent and acknowledged."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from daemon.testing.fake_slack.line import Line

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
