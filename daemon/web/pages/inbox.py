"""What people are asked, with a button for each answer."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...domain.actions import RETRY
from ...domain.model import Json
from ...ports import Declined, EscalationRow
from ..forms import Form, actor
from ..rendering import Rendering
from ..site import Site

INPUT = "input:"
"""What the fields of a changed input begin with."""


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/inbox")
    def inbox(request: Request) -> HTMLResponse:
        rows = site.queries.escalations()
        inputs = {row.id: _open_inputs(site, row) for row in rows}
        decided = site.queries.decided()
        return rendering.page(
            request, "inbox.html", rows=rows, inputs=inputs, decided=decided, RETRY=RETRY, INPUT=INPUT
        )

    @routes.post("/inbox/{escalation}")
    def answer(request: Request, escalation: str, form: Form) -> RedirectResponse:
        option = form.get("option", "")
        changes = _changes(form) if option == RETRY else {}
        site.commands.answer(actor(request, "page"), escalation, option, changes, digest=form.get("digest", ""))
        return RedirectResponse("/inbox?done=answered", 303)

    return routes


def _open_inputs(site: Site, row: EscalationRow) -> dict[str, Json]:
    """The inputs that a retry may change, with what the plan says now."""
    if row.step is None or RETRY not in row.options:
        return {}
    run = site.queries.run(row.run)
    step, at = site.queries.plan(run.plan).by_id[row.step], run.steps[row.step]
    return {name: at.changes.get(name, step.inputs.get(name)) for name in step.open}


def _changes(form: Form) -> dict[str, Json]:
    """Fields that a person filled in. JSON where it is, else text."""
    filled = {name.removeprefix(INPUT): value for name, value in form.items() if name.startswith(INPUT) and value}
    return {name: _value(name, text) for name, text in filled.items()}


def _value(name: str, text: str) -> Json:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        return text
    except (ValueError, RecursionError) as error:
        raise Declined(f"the input {name!r} cannot be read: {error}") from None


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no number here")
