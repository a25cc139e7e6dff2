"""`POST /trigger/JOB`: another system asks for a run, and proves with a signature that it may.

The signature is the HMAC-SHA256, in hex, over `TIMESTAMP.JOB.KEY.BODY` with the secret of `http.trigger_secret`.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fastapi import APIRouter, HTTPException, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from ..domain.deed import Actor
from .api import Made, RunAsked
from .forms import origin
from .site import Site

WINDOW_SECONDS: Final = 300
TIMESTAMP, SIGNATURE, KEY = "x-clockwright-timestamp", "x-clockwright-signature", "idempotency-key"
PREFIX: Final = "sha256="


@dataclass(frozen=True, slots=True)
class Call:
    """What is signed. `timestamp` is in seconds since 1970."""

    job: str
    timestamp: str
    key: str
    body: bytes

    def signature(self, secret: str) -> str:
        signed = f"{self.timestamp}.{self.job}.{self.key}.".encode(errors="replace") + self.body
        return hmac.new(secret.encode(), signed, sha256).hexdigest()

    def fresh(self, now: float) -> bool:
        number = self.timestamp
        known = number.isascii() and number.isdigit() and len(number) < 13
        return known and abs(now - int(number)) <= WINDOW_SECONDS


def router(site: Site) -> APIRouter:
    routes = APIRouter()

    @routes.post("/trigger/{job}", status_code=201, include_in_schema=False)
    async def trigger(request: Request, job: str) -> Made:
        call = _call(job, request.headers, await request.body())
        _verify(site, call, request.headers.get(SIGNATURE, ""))
        who = Actor("trigger", origin(request, "trigger"))
        made = await run_in_threadpool(
            site.commands.request, who, job, _asked(call.body).date, key=f"trigger {call.key}"
        )
        return Made(run=made.run.id, state=made.run.state, new=made.new)

    return routes


def _call(job: str, headers: Mapping[str, str], body: bytes) -> Call:
    return Call(job, headers.get(TIMESTAMP, ""), headers.get(KEY, ""), body)


def _verify(site: Site, call: Call, given: str) -> None:
    """Raises HTTPException. Whether there is such a job is not told to who cannot sign."""
    secret = site.trigger_secret()
    if not secret:
        raise HTTPException(404, "no job can be triggered here: http.trigger_secret is not set")
    wanted = PREFIX + call.signature(secret)
    if not hmac.compare_digest(wanted.encode(), given.encode(errors="replace")):
        raise HTTPException(401, "the signature is wrong")
    if not call.fresh(site.clock.now().timestamp()):
        raise HTTPException(401, f"the timestamp is more than {WINDOW_SECONDS} seconds off")
    if not 1 <= len(call.key) <= 200:
        raise HTTPException(422, "the header Idempotency-Key is missing or longer than 200 characters")


def _asked(body: bytes) -> RunAsked:
    try:
        return RunAsked.model_validate_json(body) if body.strip() else RunAsked()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise HTTPException(422, f"{where or 'body'}: {first['msg']}") from None
