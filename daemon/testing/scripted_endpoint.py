"""An OpenAI-compatible endpoint on loopback that answers as it is told, with every fault that real ones have."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer. `drip` is the pause between single bytes; `cut` sends half; `hang` says nothing at all."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    drip: float = 0.0
    cut: bool = False
    hang: bool = False


Script: TypeAlias = Callable[[Body], Reply]
"""From the request's body to the answer."""


def completion(content: Any, *, finish: str = "stop", refusal: str | None = None, usage: bool = True) -> Reply:
    """A chat completion with this text; without text for None."""
    return _choices([_choice({"role": "assistant", "content": content, "refusal": refusal}, finish)], usage=usage)


def called(arguments: str, name: str = "decide") -> Reply:
    """A completion that is a call of a tool."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return _choices([_choice(message, "tool_calls")], usage=True)


def nothing() -> Reply:
    """A completion without choices."""
    return _choices([], usage=True)


def error(status: int, message: str, *, code: str = "", param: str = "", retry_after: str = "") -> Reply:
    """An error as OpenAI words it."""
    body = {"error": {"message": message, "type": code or "error", "code": code or None, "param": param or None}}
    headers = {"Retry-After": retry_after} if retry_after else {}
    return Reply(json.dumps(body).encode(), status, headers)


def decision(letter: str, tool: str, reason: str = "as scripted", **inputs: Any) -> Reply:
    """A well-formed answer."""
    members = {"reason": reason, "decision": letter, "tool_to_use": tool, "tool_input": inputs}
    return completion(json.dumps(members))


def _choice(message: Body, finish: str) -> Body:
    return {"index": 0, "message": message, "finish_reason": finish}


def _choices(choices: list[Body], *, usage: bool) -> Reply:
    body: Body = {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": choices}
    if usage:
        body["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return Reply(json.dumps(body).encode())


HTML = Reply(b"<html><body>502 Bad Gateway</body></html>", kind="text/html")
HANG = Reply(hang=True)
DRIP = Reply(b" " * 100_000, drip=0.02)
HALF = Reply(completion('{"decision": "A"}').body, cut=True)


def is_probe(request: Body) -> bool:
    """Whether the daemon is finding out what the endpoint understands."""
    return "walnut" in json.dumps(request) or "Greet me" in json.dumps(request.get("messages", ""))


def mode_of(request: Body) -> str:
    """How an answer was asked for: schema, tool, json or text."""
    if "tools" in request:
        return "tool"
    return {"json_schema": "schema", "json_object": "json"}.get(request.get("response_format", {}).get("type"), "text")


def understanding(*modes: str) -> Script:
    """Answers a probe like a server that honours only these modes, and ignores the others in silence."""

    def answer(request: Body) -> Reply:
        mode = mode_of(request)
        if mode not in modes:
            return completion("Good morning to you.")
        return called('{"word": "walnut"}') if mode == "tool" else completion('{"word": "walnut"}')

    return answer


class ScriptedEndpoint:
    """A context manager. `requests` holds the bodies of all questions that were no probe, `paths` where all went."""

    def __init__(self, script: Script | Sequence[Reply], *, probes: Script | None = None) -> None:
        self.requests: list[Body] = []
        self.probes: list[Body] = []
        self.paths: list[str] = []
        self._probes = probes or understanding("schema")
        self._script = script if callable(script) else _in_order(script)
        self._closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedEndpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def reply(self, request: Body) -> Reply:
        if is_probe(request):
            self.probes.append(request)
            return self._probes(request)
        self.requests.append(request)
        return self._script(request)

    def wait(self, seconds: float | None = None) -> bool:
        """Until the endpoint closes, or `seconds` passed."""
        return self._closing.wait(seconds)


def _in_order(replies: Sequence[Reply]) -> Script:
    """One after the other; the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle is what the faults are for."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the standard library's name
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        path = self.path.partition("?")[0]
        self.server.endpoint.paths.append(self.path)
        if path.endswith("/chat/completions"):
            self._send(self.server.endpoint.reply(request))
        else:
            self._send(error(404, f"there is no {self.path}"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Quiet."""

    def _send(self, reply: Reply) -> None:
        if reply.hang:
            self.server.endpoint.wait()
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self._write(reply)

    def _write(self, reply: Reply) -> None:
        if reply.cut:
            self.wfile.write(reply.body[: len(reply.body) // 2])
            self.close_connection = True
        elif reply.drip:
            self._dripped(reply)
        else:
            self.wfile.write(reply.body)

    def _dripped(self, reply: Reply) -> None:
        for byte in reply.body:
            if self.server.endpoint.wait(reply.drip):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
