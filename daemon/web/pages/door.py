"""In and out: the token is asked for once, and a cookie stands for it afterwards."""

from __future__ import annotations

from secrets import token_urlsafe

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ..forms import SEED_COOKIE, Form
from ..guard import COOKIE
from ..passes import SESSION_SECONDS
from ..rendering import Rendering
from ..site import Site


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/login")
    def ask(request: Request, to: str = "/") -> HTMLResponse:
        return _page(request, _inside(to))

    @routes.post("/login")
    def enter(request: Request, form: Form) -> Response:
        holder = site.passes.by_token(form.get("token", "").strip(), form.get("name", ""))
        to = _inside(form.get("to", "/"))
        if holder is None:
            return _page(request, to, wrong=True)
        answer = RedirectResponse(to, 303)
        _set(request, answer, COOKIE, site.passes.open(holder), SESSION_SECONDS)
        answer.delete_cookie(SEED_COOKIE, path="/")
        return answer

    @routes.post("/logout")
    def leave(request: Request, form: Form) -> RedirectResponse:  # noqa: ARG001 - its key is checked
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE, path="/")
        return answer

    def _page(request: Request, to: str, *, wrong: bool = False) -> HTMLResponse:
        """A form before there is a session hangs on a cookie of its own."""
        planted = request.cookies.get(SEED_COOKIE) or token_urlsafe(24)
        key = site.passes.form_key(request.cookies.get(COOKIE) or planted)
        answer = rendering.page(request, "login.html", 403 if wrong else 200, to=to, wrong=wrong, login_key=key)
        _set(request, answer, SEED_COOKIE, planted, 3600)
        return answer

    return routes


def _set(request: Request, answer: Response, name: str, value: str, seconds: int) -> None:
    # Lax and not strict: a link in a message must find the session; what acts is a POST, and has its form's key.
    secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
    answer.set_cookie(name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=secure)


def _inside(to: str) -> str:
    """Only a path of this site is gone to."""
    safe = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if safe else "/"
