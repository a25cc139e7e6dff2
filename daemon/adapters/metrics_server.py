"""A port of its own for whoever scrapes, for where the page is off or keeps its metrics behind a token."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

PATH = "/metrics"
SECONDS = 10.0
"""For how long a client may keep a thread waiting."""


def open_server(host: str, port: int, exposition: Callable[[], bytes]) -> Callable[[], None]:
    """Answers from now on; call what it returns to end that. Raises OSError where the address cannot be had."""
    server = _Server(host, port, exposition)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()

    def close() -> None:
        server.shutdown()
        server.server_close()

    return close


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, exposition: Callable[[], bytes]) -> None:
        self.address_family = AF_INET6 if ":" in host else AF_INET
        self.exposition = exposition
        super().__init__((host, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SECONDS

    def do_GET(self) -> None:  # the standard library's name
        found = self.path.partition("?")[0] == PATH
        body = self.server.exposition() if found else b"metrics are at /metrics\n"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", CONTENT_TYPE_PLAIN_0_0_4 if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """A scrape is no event."""
