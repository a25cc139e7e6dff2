"""A receiver on loopback that notes what it is sent, and answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, str], bytes]
FINE: Answer = (200, {}, b'{"ok": true}')


class Loopback:
    """`answers` are what a path's last part gives instead of `{"ok": true}`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, str]] = []
        self.answers: dict[str, Answer] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/api/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def methods(self) -> list[str]:
        return [method for method, _, _ in self.calls]

    def _answer(self, method: str, arguments: Any, token: str) -> Answer:
        self.calls.append((method, arguments, token))
        return self.answers.get(method, FINE)

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
