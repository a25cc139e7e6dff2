"""Everything together: routes, gate, and how what goes wrong is said."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from ..ports import Declined, StoreError, Unknown
from ..version import __version__
from . import api, machines, trigger
from .guard import Guard
from .hiding import Hiding
from .pages import door, inbox, job, others, overview, run
from .rendering import Rendering
from .site import Site

STATIC = Path(__file__).parent / "static"
_PLAIN = {"Not Found": "there is nothing at this address", "Method Not Allowed": "this address takes no such request"}
"""What is said where whoever refused said nothing of its own."""
_LOG = logging.getLogger(__name__)


def build(site: Site) -> Guard:
    """The gate with everything behind it, our own defects too."""
    hiding = Hiding(site.redactor)
    rendering = Rendering(site, hiding)
    application = FastAPI(
        title="Clockwright",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        default_response_class=_json(hiding),
    )
    application.state.site = site
    for page in (overview, job, run, inbox, others, door):
        application.include_router(page.router(site, rendering), include_in_schema=False)
    for part in (api, trigger, machines):
        application.include_router(part.router(site))
    application.mount("/static", _Static(directory=STATIC), name="static")
    _Troubles(rendering).install(application)
    return Guard(application, site.passes, open_metrics=site.open_metrics)


class _Static(StaticFiles):
    """Their addresses hold the version, so a browser may keep them."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        answer = super().file_response(*arguments, **options)
        answer.headers["cache-control"] = "public, max-age=31536000, immutable"
        return answer


def _json(hiding: Hiding) -> type[JSONResponse]:
    """JSON without secrets, and without half characters that no encoder takes."""

    class Hidden(JSONResponse):
        def render(self, content: Any) -> bytes:
            hiding.renew()
            return json.dumps(hiding.json(content), ensure_ascii=False).encode(errors="replace")

    return Hidden


class _Troubles:
    """What a person did wrong is said in one line; what we did wrong is logged, and nothing of it is shown."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering

    def install(self, application: FastAPI) -> None:
        application.add_exception_handler(HTTPException, self._refused)
        application.add_exception_handler(RequestValidationError, self._invalid)
        for kind in (Declined, StoreError):
            application.add_exception_handler(kind, self._declined)
        application.add_exception_handler(Exception, self._defect)

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - it is installed for these alone
        return self._say(request, error.status_code, _PLAIN.get(error.detail, str(error.detail)))

    async def _invalid(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        told = [f"{'.'.join(map(str, each['loc'][1:])) or each['loc'][0]}: {each['msg']}" for each in error.errors()]
        return self._say(request, 422, "; ".join(told[:20]))

    async def _declined(self, request: Request, error: Exception) -> Response:
        status = 404 if isinstance(error, Unknown) else 409 if isinstance(error, Declined) else 503
        return self._say(request, status, str(error))

    async def _defect(self, request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed: %r", request.method, request.url.path, error)
        return self._say(request, 500, "this is a defect of ours; the daemon's log says more")

    def _say(self, request: Request, status: int, why: str) -> Response:
        if request.url.path.startswith(("/api/", "/trigger/", "/slack/", "/live", "/metrics")):
            return JSONResponse({"detail": why.encode(errors="replace").decode()}, status)
        title = HTTPStatus(status).phrase
        return self._rendering.page(request, "trouble.html", status, title=title, why=why)
