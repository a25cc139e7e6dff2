"""Tools, the local outbox, and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from ..guard import POLICY
from ..rendering import Rendering
from ..site import Site

PAGE: Final = 100
PREVIEW_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'; base-uri 'none'"
)
_TYPES: Final = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"}


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/tools")
    def tools(request: Request) -> HTMLResponse:
        toolbox = site.tools()
        used: dict[str, list[str]] = {}
        for job in site.jobs().values():
            for name in job.plan.tools:
                used.setdefault(name, []).append(job.id)
        return rendering.page(request, "tools.html", toolbox=toolbox, used=used)

    @routes.get("/audit")
    def audit(request: Request, before: str = "") -> HTMLResponse:
        deeds = site.queries.deeds(PAGE + 1, _moment(before))
        return rendering.page(request, "audit.html", deeds=deeds[:PAGE], more=len(deeds) > PAGE, before=before)

    _add_outbox(routes, site, rendering)
    return routes


def _add_outbox(routes: APIRouter, site: Site, rendering: Rendering) -> None:
    @routes.get("/outbox")
    def outbox(request: Request) -> HTMLResponse:
        return rendering.page(request, "outbox.html", messages=site.outbox.newest(PAGE))

    @routes.get("/outbox/{key}")
    def message(request: Request, key: str) -> HTMLResponse:
        _content(site, key, "index.html")
        return rendering.page(request, "message.html", key=key)

    @routes.get("/outbox/{key}/{name:path}")
    def message_file(key: str, name: str) -> Response:
        content = _content(site, key, name)
        kind = name.rpartition(".")[2].lower()
        if kind in _TYPES:
            return Response(content, media_type=_TYPES[kind])
        text = site.redactor()(content.decode(errors="replace"))
        if name == "index.html":
            framed = {"content-security-policy": PREVIEW_POLICY, "x-frame-options": "SAMEORIGIN"}
            return HTMLResponse(text, headers=framed)
        return Response(text, media_type="text/plain; charset=utf-8", headers={"content-security-policy": POLICY})


def _content(site: Site, key: str, name: str) -> bytes:
    try:
        return site.outbox.file(key, name)
    except KeyError:
        raise HTTPException(404, "the outbox holds no such message") from None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        return None
    return found if found.tzinfo else None
