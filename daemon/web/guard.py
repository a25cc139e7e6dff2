"""The one gate in front of every route: no token, no entry; and what every answer carries."""

from __future__ import annotations

from email.utils import formatdate
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .passes import Pass, Passes

COOKIE: Final = "clockwright_session"
BODY_BYTES: Final = 256 * 1024
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz", "/login", "/favicon.ico"})
"""Served to anybody. `/static/` as well, and what proves by a signature who sent it."""
SIGNED: Final = ("/trigger/", "/slack/interactions")
READS: Final = frozenset({"GET", "HEAD"})
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Guard:
    """ASGI middleware. Who may enter is found in `request.state.holder` by the routes behind it."""

    def __init__(self, application: ASGIApp, passes: Passes, *, open_metrics: bool = False) -> None:
        self.application = application
        self._passes = passes
        self._open = OPEN_PATHS | ({"/metrics"} if open_metrics else frozenset())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
        if scope["type"] != "http":
            return
        connection = HTTPConnection(scope)
        holder = self._holder(connection)
        scope.setdefault("state", {})["holder"] = holder
        refused = self._refusal(connection, scope["method"], holder)
        await (refused or self.application)(scope, _measured(connection.headers, receive), _dressed(send))

    def _holder(self, connection: HTTPConnection) -> Pass | None:
        """A token in the request itself wins over a session."""
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme:
            name = connection.headers.get("x-clockwright-name", "")
            return self._passes.by_token(token.strip(), name) if scheme.lower() == "bearer" else None
        session = connection.cookies.get(COOKIE, "")
        return self._passes.by_session(session) if session else None

    def _refusal(self, connection: HTTPConnection, method: str, holder: Pass | None) -> Response | None:
        path = connection.url.path
        if "\0" in connection.scope["path"] or b"%00" in connection.scope["query_string"]:
            return _refused(path, 404, "there is nothing of that name")
        if self._is_open(path, method):
            return None
        if holder is None:
            return _ask_for_token(connection, method)
        if method in READS or path == "/logout":
            return None
        if not holder.acts:
            return _refused(path, 403, "this token may look, not act")
        if path.startswith("/api/") and holder.session:
            return _refused(path, 403, "send the token itself: Authorization: Bearer TOKEN")
        return None

    def _is_open(self, path: str, method: str) -> bool:
        signed = method == "POST" and path.startswith(SIGNED)
        return path in self._open or path.startswith("/static/") or signed


def _ask_for_token(connection: HTTPConnection, method: str) -> Response:
    path = connection.url.path
    wants_page = "text/html" in connection.headers.get("accept", "") and not path.startswith("/api/")
    if method in READS and wants_page:
        return RedirectResponse(f"/login?to={quote(path)}", 303)
    answer = _refused(path, 401, "this needs a token")
    answer.headers["www-authenticate"] = "Bearer"
    return answer


def _refused(path: str, status: int, why: str) -> Response:
    if path.startswith("/api/"):
        return JSONResponse({"detail": why}, status)
    return PlainTextResponse(f"{why}\n", status)


def _measured(headers: Headers, receive: Receive) -> Receive:
    """A body larger than any that is needed is not read to its end."""
    length, seen = headers.get("content-length", "0"), 0
    too_long = length.isascii() and length.isdigit() and int(length) > BODY_BYTES

    async def measured() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if too_long or seen > BODY_BYTES:
            raise HTTPException(413, "the request is too long")
        return message

    return measured


def _dressed(send: Send) -> Send:
    """What a route set itself stays."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers["date"] = formatdate(usegmt=True)
        await send(message)

    return dressed
