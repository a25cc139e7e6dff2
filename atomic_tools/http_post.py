"""Post JSON to a web address, at most once under its effect key; the example of an external tool.

The receiver gets the key in a header and can be asked, at `status_url`, whether it has something under that key.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

import httpx
from pydantic import Field

from atomic_tools import (
    CannotTell,
    Effect,
    Found,
    InvalidInputError,
    MisconfiguredError,
    NotFound,
    Reconciled,
    ToolContext,
    ToolInput,
    ToolOutput,
    TransientError,
    tool,
)
from atomic_tools._http_faults import fault_in_transit, fault_of

_SENDING = ("http11.send_request_headers.started", "http2.send_request_headers.started")


class Input(ToolInput):
    """What to post, where, and how to find out later whether it arrived."""

    url: str = Field(pattern=r"^https?://\S+$")
    """Where to. Redirects are not followed."""
    body: dict[str, Any] | list[Any]
    """The JSON document."""
    status_url: str | None = Field(default=None, pattern=r"^https?://\S*\{key\}\S*$")
    """Answers 2xx where the receiver has the key and 404 where it has not; `{key}` is filled in."""
    key_header: str = Field(default="Idempotency-Key", pattern=r"^[A-Za-z][A-Za-z0-9-]{0,63}$")
    """The header that carries the effect key."""


class Output(ToolOutput):
    """That it arrived."""

    state: Literal["delivered"] = "delivered"
    key: str
    status: int
    """What the receiver answered; 0 in a dry run."""
    location: str
    """The URL, or the file of a dry run."""

    def summary(self) -> str:
        """State, place and status."""
        return f"{self.state} to {self.location} ({self.status})"[:200]


def _reconcile(request: Input, context: ToolContext) -> Reconciled:
    """What the receiver has under the effect key."""
    if context.dry_run:
        path = _dry_path(context)
        return Found(_dry_output(context, path)) if path.exists() else NotFound()
    if request.status_url is None:
        return CannotTell("the step has no status_url to ask at")
    try:
        with _client(context) as client:
            answer = client.get(request.status_url.replace("{key}", _key(context)), headers=_authorization(context))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return CannotTell(f"{type(error).__name__}: {error}")
    if answer.status_code == 404:
        return NotFound()
    if answer.is_success:
        return Found(Output(key=_key(context), status=answer.status_code, location=request.url))
    return CannotTell(f"the status address answered {answer.status_code} {answer.reason_phrase}")


@tool(effect=Effect.EXTERNAL, reconcile=_reconcile, destination=("url",), optional_secrets=("token",))
def http_post(request: Input, context: ToolContext) -> Output:
    """One request an attempt; the deadline is looked at with the connection made, right before the first byte."""
    if context.dry_run:
        return _to_outbox(request, context)
    headers = {request.key_header: _key(context), **_authorization(context)}
    _in_time(context)
    try:
        with _client(context) as client:
            extensions = {"trace": lambda event, _: _in_time(context) if event in _SENDING else None}
            answer = client.post(request.url, json=request.body, headers=headers, extensions=extensions)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise fault_in_transit(error) from error
    if fault := fault_of(answer):
        raise fault
    return Output(key=_key(context), status=answer.status_code, location=request.url)


def _client(context: ToolContext) -> httpx.Client:
    """No retries, no redirects, and no waiting beyond the deadline."""
    return httpx.Client(timeout=max(0.001, -context.late()), follow_redirects=False)


def _authorization(context: ToolContext) -> dict[str, str]:
    token = context.secrets.get("token")
    return {"Authorization": f"Bearer {token}"} if token else {}


def _key(context: ToolContext) -> str:
    if context.effect_key is None:
        raise InvalidInputError("a post needs an effect key: without one a repeat could not be told from a new one")
    return context.effect_key


def _in_time(context: ToolContext) -> None:
    if (late := context.late()) >= 0:
        raise TransientError(f"not sent: the deadline had passed {late:.1f} s before")


def _dry_path(context: ToolContext) -> Path:
    if context.outbox is None:
        raise MisconfiguredError("there is no outbox for a dry run", hint="set `outbox` in clockwright.yaml")
    return context.outbox / "dry-run" / "http" / f"{_key(context)}.json"


def _dry_output(context: ToolContext, path: Path) -> Output:
    return Output(key=_key(context), status=0, location=str(path))


def _to_outbox(request: Input, context: ToolContext) -> Output:
    """What would have been sent, whole or not at all."""
    path = _dry_path(context)
    path.parent.mkdir(parents=True, exist_ok=True)
    _in_time(context)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps({"url": request.url, "body": request.body}, ensure_ascii=False, indent=2))
    fresh.replace(path)
    return _dry_output(context, path)
