"""What machines ask: health, readiness, metrics, live news, Slack."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from .live import Crowded
from .site import Site

TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def router(site: Site) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/healthz")
    def health() -> Response:
        """Whether the loop makes progress."""
        return _told(site.health.stuck())

    @routes.get("/readyz")
    def ready() -> Response:
        """Whether what comes now could be done."""
        return _told(site.health.stuck() or site.health.unready())

    @routes.get("/metrics")
    def metrics() -> Response:
        return Response(site.exposition(), media_type=TEXT_FORMAT)

    _add_live(routes, site)
    _add_slack(routes, site)
    return routes


def _add_live(routes: APIRouter, site: Site) -> None:
    @routes.get("/live")
    async def live(run: str = "") -> Response:
        try:
            listener = site.live.listen(run)
        except Crowded:
            raise HTTPException(503, "too many pages listen") from None
        return StreamingResponse(site.live.stream(listener), media_type="text/event-stream")


def _add_slack(routes: APIRouter, site: Site) -> None:
    @routes.post("/slack/interactions")
    async def interactions(request: Request) -> Response:
        """Mounted where Slack sends button presses over HTTP; whoever handles them verifies the signature."""
        if site.slack is None:
            raise HTTPException(404, "Slack does not send its button presses here")
        status, headers, body = await run_in_threadpool(site.slack, dict(request.headers), await request.body())
        return Response(body, status, dict(headers))


def _told(trouble: str) -> Response:
    return PlainTextResponse(f"{trouble or 'ok'}\n", 503 if trouble else 200)
