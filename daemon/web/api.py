"""The JSON API: the same things that the pages show and do, for programs. Described at /api/openapi.json."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, HTTPException, Path, Query, Request
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from ..domain.deed import Deed
from ..domain.document import document, history, job_document
from ..domain.job import Job
from ..domain.model import Day, Json, Run, RunState
from ..domain.picture import Picture
from ..ports import Accounted, EscalationRow, RunRow
from .forms import actor
from .pages.overview import JobLine, lines
from .pages.run import kept_files
from .site import Site

JobId = Annotated[str, Path(max_length=120)]
RunId = Annotated[str, Path(max_length=200)]
Text = Annotated[str, Field(max_length=500)]
Document = dict[str, Any]


class Refusal(BaseModel):
    detail: str
    """Why, in one line."""


_WHY = {
    400: "the body cannot be read",
    401: "there is no valid token",
    403: "the token may look, not act",
    404: "there is nothing of that name",
    409: "it cannot be done as things are",
    413: "the request is too long",
    422: "the request is not as described",
    503: "the store does not answer",
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": why} for status, why in _WHY.items()
}


def _strict(value: dict[str, Json]) -> dict[str, Json]:
    """Raises ValueError for NaN and infinity, which are no JSON."""
    json.dumps(value, allow_nan=False)
    return value


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AnswerAsked(Asked):
    option: Text
    changes: Annotated[dict[str, Json], AfterValidator(_strict)] = {}
    digest: Text = ""
    """Of the question as it was shown; one that has changed since is not answered."""


class RunAsked(Asked):
    date: Day | None = None
    """The day to report on; yesterday in the job's zone without it."""
    dry_run: bool = False


class RetryAsked(Asked):
    send: bool = False
    """Also send again what was delivered."""


class PauseAsked(Asked):
    why: Text = ""
    until: AwareDatetime | None = None


class Made(BaseModel):
    run: str
    state: RunState
    new: bool


class Accepted(BaseModel):
    """Whoever carries the run takes it up at once."""

    accepted: Literal[True] = True


class Resumed(BaseModel):
    resumed: bool


def router(site: Site) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", responses=REFUSALS)
    _add_reads(routes, site)
    _add_records(routes, site)
    _add_commands(routes, site)
    _add_job_commands(routes, site)
    return routes


def _add_reads(routes: APIRouter, site: Site) -> None:
    @routes.get("/jobs")
    def jobs() -> list[Document]:
        """Every job: schedule, next due, last run, whether it is overdue."""
        return [_job(line) for line in lines(site, site.clock.now())]

    @routes.get("/jobs/{job}")
    def one_job(job: JobId) -> Document:
        found = next(iter(lines(site, site.clock.now(), job)), None)
        if found is None:
            raise HTTPException(404, f"there is no job {job!r}")
        return _job(found)

    @routes.get("/jobs/{job}/ledger")
    def ledger(job: JobId, days: Annotated[int, Query(ge=1, le=366)] = 30) -> list[Accounted]:
        """How each due instant of the last days was accounted for, newest first; at most 5,000."""
        _known(site, job)
        return site.queries.accounted(job, site.clock.now() - timedelta(days=days), 5000)

    @routes.get("/runs")
    def runs(
        job: Annotated[str | None, Query(max_length=120)] = None,
        state: RunState | None = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        before: Annotated[str | None, Query(max_length=200, description="The last run of the page before.")] = None,
    ) -> list[RunRow]:
        """Newest first."""
        return site.queries.runs(job, state, limit, before)

    @routes.get("/runs/{run}")
    def one_run(run: RunId) -> Document:
        """Steps, decisions, questions, files, deliveries and history of one run."""
        try:
            found = site.queries.run(run)
        except KeyError:
            raise HTTPException(404, f"there is no run {run!r}") from None
        return _run(site, found)


def _add_records(routes: APIRouter, site: Site) -> None:
    @routes.get("/escalations")
    def escalations(closed: bool = False) -> list[EscalationRow]:
        """What people are asked, oldest first."""
        return site.queries.escalations(include_closed=closed)

    @routes.get("/tools")
    def tools() -> list[Document]:
        toolbox = site.tools()
        sound = [
            {"name": tool.name, "description": tool.description, "effect": tool.effect.value,
             "timeout_seconds": tool.timeout.total_seconds(), "version": tool.version, "input": tool.input_schema,
             "output": tool.output_schema}
            for tool in toolbox.tools.values()
        ]  # fmt: skip
        return sound + [{"name": tool.name, "broken": tool.message} for tool in toolbox.broken.values()]

    @routes.get("/audit")
    def audit(limit: Annotated[int, Query(ge=1, le=1000)] = 100, before: AwareDatetime | None = None) -> list[Deed]:
        """Who did what, when and from where, newest first."""
        return site.queries.deeds(limit, before)


def _add_commands(routes: APIRouter, site: Site) -> None:
    @routes.post("/escalations/{escalation}/answer", status_code=202)
    def answer(request: Request, escalation: RunId, body: AnswerAsked) -> Accepted:
        """Answer one question; the first valid answer counts."""
        site.commands.answer(actor(request, "api"), escalation, body.option, body.changes, digest=body.digest)
        return Accepted()

    @routes.post("/runs/{run}/cancel", status_code=202)
    def cancel(request: Request, run: RunId) -> Accepted:
        """End a run: what is in flight is killed, what is done stays done."""
        site.commands.cancel(actor(request, "api"), run)
        return Accepted()

    @routes.post("/runs/{run}/retry", status_code=201)
    def retry(request: Request, run: RunId, body: RetryAsked | None = None) -> Made:
        """Make the run again, for the same date, under a new revision."""
        made = site.commands.retry(actor(request, "api"), run, send=bool(body and body.send))
        return Made(run=made.id, state=made.state, new=True)


def _add_job_commands(routes: APIRouter, site: Site) -> None:
    @routes.post("/jobs/{job}/run", status_code=201)
    def run(
        request: Request,
        job: JobId,
        body: RunAsked | None = None,
        idempotency_key: Annotated[str, Header(max_length=200)] = "",
    ) -> Made:
        """A run for a day. The same `Idempotency-Key` gives the same run, whatever became of it."""
        wanted = body or RunAsked()
        key = f"api {idempotency_key}" if idempotency_key else ""
        made = site.commands.request(actor(request, "api"), job, wanted.date, dry_run=wanted.dry_run, key=key)
        return Made(run=made.run.id, state=made.run.state, new=made.new)

    @routes.post("/jobs/{job}/pause", status_code=202)
    def pause(request: Request, job: JobId, body: PauseAsked | None = None) -> Accepted:
        """Start nothing of a job; `*` stands for all of them."""
        wanted = body or PauseAsked()
        site.commands.pause(actor(request, "api"), job, wanted.why, wanted.until)
        return Accepted()

    @routes.post("/jobs/{job}/resume")
    def resume(request: Request, job: JobId) -> Resumed:
        if job != "*":
            _known(site, job)
        return Resumed(resumed=site.commands.resume(actor(request, "api"), job))


def _known(site: Site, job: str) -> Job:
    found = site.jobs().get(job)
    if found is None:
        raise HTTPException(404, f"there is no job {job!r}")
    return found


def _job(line: JobLine) -> Document:
    last = {"id": line.last.id, "state": line.last.state.value, "date": line.last.date} if line.last else None
    told = job_document(line.job, last, _iso(line.next_due), line.pause)
    return told | {"overdue": line.overdue or None, "asks": line.asks}


def _run(site: Site, run: Run) -> Document:
    picture = Picture(site.queries.plan(run.plan), run, site.queries.events(run.id))
    made = [
        {"step": step, "name": file["name"], "media_type": file["media_type"], "size": file["size"],
         "url": f"/runs/{run.id}/files/{file['sha256']}"}
        for step, file in kept_files(run)
    ]  # fmt: skip
    effects = [
        {"key": row.key, "state": row.state.value, "step": row.step, "attempt": row.attempt, "summary": row.summary}
        for row in site.queries.effects(run.id)
    ]
    return document(picture, made) | {"effects": effects, "history": history(picture.events)}


def _iso(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None
