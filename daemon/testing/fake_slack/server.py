"""The workspace behind HTTP, with the faults that a test puts in its way."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl

from .faults import Fault
from .methods import call
from .sockets import Sockets
from .uploads import receive
from .workspace import APP_TOKEN, TOKEN, Refusal, Workspace

UPLOAD = "upload"
"""Under this name the second step of an upload has its faults."""


class FakeSlack:
    """A context manager. `faults[method]` are used up first in, first out; `calls` are the names of all requests.

    While it is `away` every request gets a page that says so.
    """

    def __init__(self, workspace: Workspace | None = None, port: int = 0) -> None:
        self.workspace = workspace or Workspace()
        self.faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.refused: list[tuple[str, str]] = []
        self.token, self.app_token = TOKEN, APP_TOKEN
        self.away = False
        self.sockets = Sockets()
        self.workspace.socket_url = self.sockets.url
        self.closing = threading.Event()
        self._server = _Server(self, port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """What `slack.api` is set to."""
        return f"{self.root}/api/"

    def __enter__(self) -> FakeSlack:
        self._thread.start()
        self.sockets.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self.sockets.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def counted(self, method: str) -> int:
        return sum(name == method for name, _ in self.calls)

    def fault(self, method: str) -> Fault | None:
        with self.workspace.lock:
            if self.away:
                return Fault.html()
            waiting = self.faults[method]
            return waiting.popleft() if waiting else None

    def answer(self, method: str, token: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            made = {"ok": True, **call(self.workspace, method, token, arguments)}
        except Refusal as refusal:
            self.refused.append((method, refusal.code))
            return {"ok": False, "error": refusal.code, **refusal.more}
        if "upload_url" in made:
            made["upload_url"] = self.root + made["upload_url"]
        return made


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, slack: FakeSlack, port: int) -> None:
        self.slack = slack
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed in the middle is what this is for."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:  # the standard library's name
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, kind, name = self.path.partition("?")[0].split("/", 2)
        if kind == UPLOAD:
            self._upload(name, content)
        else:
            self._method(name, content)

    do_GET = do_POST  # noqa: N815 - the standard library's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Quiet."""

    def _upload(self, file_id: str, content: bytes) -> None:
        slack = self.server.slack
        slack.calls.append((UPLOAD, {"id": file_id, "size": len(content)}))
        fault = slack.fault(UPLOAD)
        status = 200 if fault and not fault.done else receive(slack.workspace, file_id, content)
        self._reply(fault, status, f"OK - {len(content)}".encode(), {})

    def _method(self, method: str, content: bytes) -> None:
        slack, arguments = self.server.slack, self._arguments(content)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ") or str(arguments.get("token", ""))
        slack.calls.append((method, arguments))
        fault = slack.fault(method)
        if fault and not fault.done:
            self._reply(fault, 200, b"", {})
            return
        body = json.dumps(slack.answer(method, token, arguments)).encode()
        scopes = ",".join(slack.workspace.tokens.get(token, ()))
        self._reply(fault, 200, body, {"Content-Type": "application/json", "X-OAuth-Scopes": scopes})

    def _arguments(self, content: bytes) -> dict[str, Any]:
        if "json" in self.headers.get("Content-Type", ""):
            found: dict[str, Any] = json.loads(content)
            return found
        return dict(parse_qsl(self.path.partition("?")[2]) + parse_qsl(content.decode()))

    def _reply(self, fault: Fault | None, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        if fault:
            self.server.slack.closing.wait(fault.seconds)
        if fault and fault.drop:
            self.close_connection = True
            return
        if fault and fault.status:
            status, body, headers = fault.status, fault.body, fault.headers
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
