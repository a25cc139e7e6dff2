"""One run in full, and the list of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ...domain import wording
from ...domain.delivery import deliveries
from ...domain.events import AttemptEnded, AttemptStarted, Event
from ...domain.model import Failed, Json, Run, RunState, StepRun
from ...domain.picture import Picture
from ...ports import StoreError
from ..drawing import graph
from ..forms import Form, actor
from ..rendering import Rendering
from ..site import Site

PAGE = 50
PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
TEXTS = frozenset({"text/plain", "text/markdown", "text/csv", "application/json"})
_OUTBOX = 200
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Bar:
    """One attempt on the timeline: left edge and width in per cent."""

    left: str
    width: str
    state: str
    words: str


def timeline(run: Run, events: Sequence[Event], now: datetime) -> Mapping[str, list[Bar]]:
    """By step, every attempt as a bar over the time that the run took."""
    begun = run.started_at or run.queued_at
    whole = max(0.001, ((run.ended_at or now) - begun).total_seconds())
    bars: dict[str, list[Bar]] = {}
    open_ones: dict[str, AttemptStarted] = {}
    for event in events:
        if isinstance(event, AttemptStarted):
            open_ones[event.step] = event
        elif isinstance(event, AttemptEnded) and (start := open_ones.pop(event.step, None)):
            state = "failed" if isinstance(event.outcome, Failed) else "succeeded"
            bars.setdefault(event.step, []).append(_bar(start, event.at, state, begun, whole))
    for step, start in open_ones.items():
        bars.setdefault(step, []).append(_bar(start, run.ended_at or now, "running", begun, whole))
    return bars


def _bar(start: AttemptStarted, end: datetime, state: str, begun: datetime, whole: float) -> Bar:
    left = min(100.0, max(0.0, 100 * (start.at - begun).total_seconds() / whole))
    width = min(100.0 - left, max(0.4, 100 * (end - start.at).total_seconds() / whole))
    took = (end - start.at).total_seconds()
    words = f"attempt {start.attempt.number}, {start.attempt.purpose.value}: {state}, {took:.2f} s"
    return Bar(f"{left:.2f}%", f"{width:.2f}%", state, words)


def kept_files(run: Run) -> Iterator[tuple[str, Json]]:
    """Every file that a step of the run made, with its step; an output that was too large to keep inline as well."""
    for name, step in run.steps.items():
        yield from ((name, artifact) for artifact in step.artifacts)
        if digest := spilled(step):
            yield name, {"name": "output.json", "sha256": digest, "media_type": "application/json", "size": 0}


def spilled(step: StepRun) -> str:
    output = step.output
    digest = output.get("$spilled") if isinstance(output, dict) else None
    return digest if isinstance(digest, str) else ""


def _pictures(run: Run) -> Iterator[tuple[str, Json]]:
    """Each once, where it was made."""
    seen: set[str] = set()
    for step, file in kept_files(run):
        if file["media_type"] in PICTURES and file["sha256"] not in seen:
            seen.add(file["sha256"])
            yield step, file


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/runs")
    def list_runs(request: Request, job: str = "", state: str = "", before: str = "") -> HTMLResponse:
        wanted = RunState(state) if state in set(RunState) else None
        rows = site.queries.runs(job or None, wanted, PAGE + 1, before or None)
        return rendering.page(
            request,
            "runs.html",
            rows=rows[:PAGE],
            more=len(rows) > PAGE,
            job=job,
            state=state,
            states=[each.value for each in RunState],
            jobs=sorted(site.jobs()),
            before=before,
        )

    @routes.get("/runs/{run_id}")
    def run_page(request: Request, run_id: str) -> HTMLResponse:
        run = _load(site, run_id)
        picture = Picture(site.queries.plan(run.plan), run, site.queries.events(run_id))
        return rendering.page(
            request,
            "run.html",
            picture=picture,
            run=run,
            plan=picture.plan,
            zone=run.data.timezone,
            graph=graph(picture.plan),
            by_id={shown.step.id: shown for shown in picture.steps},
            bars=timeline(run, picture.events, site.clock.now()),
            history=[(event.at, wording.step_of(event), wording.tell(event)) for event in picture.events],
            shown_pictures=list(_pictures(run)),
            posted={message.key for message in site.outbox.newest(_OUTBOX)},
            spilled=spilled,
            deliveries=list(deliveries(picture.plan, run)),
            keys={effect.step: effect.key for effect in site.queries.effects(run_id)},
            questions=[row for row in site.queries.escalations() if row.run == run_id],
        )

    @routes.get("/runs/{run_id}/files/{sha256}")
    def run_file(run_id: str, sha256: str) -> Response:
        known = {artifact["sha256"]: artifact for _, artifact in kept_files(_load(site, run_id))}
        if not _DIGEST.fullmatch(sha256) or sha256 not in known:
            raise HTTPException(404, "this run made no such file")
        return _file(site, known[sha256])

    @routes.post("/runs/{run_id}/cancel")
    def cancel_run(request: Request, run_id: str, form: Form) -> RedirectResponse:  # noqa: ARG001 - its key is checked
        site.commands.cancel(actor(request, "page"), run_id)
        return RedirectResponse(f"/runs/{run_id}?done=cancelled", 303)

    @routes.post("/runs/{run_id}/retry")
    def retry_run(request: Request, run_id: str, form: Form) -> RedirectResponse:
        made = site.commands.retry(actor(request, "page"), run_id, send="send" in form)
        return RedirectResponse(f"/runs/{made.id}?done=requested", 303)

    return routes


def _load(site: Site, run_id: str) -> Run:
    try:
        return site.queries.run(run_id)
    except KeyError:
        raise HTTPException(404, f"there is no run {run_id!r}") from None


def _file(site: Site, artifact: Json) -> Response:
    """Pictures as they are, text without secrets; anything else only to be saved."""
    try:
        content = site.artifacts.get(artifact["sha256"])
    except StoreError:
        raise HTTPException(404, "this file is no longer kept") from None
    media_type = artifact["media_type"]
    if media_type in PICTURES:
        return Response(content, media_type=media_type)
    if media_type in TEXTS:
        return Response(site.redactor()(content.decode(errors="replace")), media_type="text/plain; charset=utf-8")
    return Response(content, media_type="application/octet-stream", headers={"content-disposition": "attachment"})
