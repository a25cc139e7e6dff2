"""Forms: read, and believed only with the key that their page gave them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl

from fastapi import Depends, HTTPException, Request

from ..domain.deed import Actor
from .guard import COOKIE
from .passes import Pass, Passes

SEED_COOKIE = "clockwright_seed"
"""What a form's key hangs on before there is a session."""
KEY_FIELD = "form_key"


def seed(request: Request) -> str:
    return request.cookies.get(COOKIE) or request.cookies.get(SEED_COOKIE, "")


async def read_form(request: Request) -> Mapping[str, str]:
    """Raises HTTPException for a form that no page of ours gave out."""
    passes: Passes = request.app.state.site.passes
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise HTTPException(403, "this form was sent from another site")
    try:
        pairs = parse_qsl((await request.body()).decode(errors="replace"), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        raise HTTPException(400, "this is no form") from None
    fields = {name: value.replace("\0", "") for name, value in pairs}
    if not passes.is_form_key(seed(request), fields.get(KEY_FIELD, "")):
        raise HTTPException(403, "this form has expired; go back, reload the page, and try again")
    return fields


Form: TypeAlias = Annotated[Mapping[str, str], Depends(read_form)]


def paused_until(form: Mapping[str, str], now: datetime) -> datetime | None:
    """When a pause for the form's hours ends; None until somebody resumes it."""
    hours = form.get("hours", "")
    return now + timedelta(hours=int(hours)) if hours.isdecimal() and len(hours) < 5 else None


def holder(request: Request) -> Pass:
    """Behind the guard there is one."""
    found: Pass = request.state.holder
    return found


def actor(request: Request, surface: str) -> Actor:
    return Actor(holder(request).name, origin(request, surface))


def origin(request: Request, surface: str) -> str:
    return f"{surface} {request.client.host}" if request.client else surface
