"""All jobs at a glance: what needs a person first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...domain.job import Job
from ...domain.model import RunState
from ...domain.pause import EVERYTHING, Pause
from ...domain.prospect import Prospect, prospect, runs_too_long
from ...ports import Recent, RunRow
from ..drawing import Spark, spark
from ..forms import Form, actor, pause_end
from ..rendering import Rendering
from ..site import Site

SHOWN_RUNS = 30
FILTERS = ("overdue", "asking", "failed", "degraded", "running", "paused", "broken")


@dataclass(frozen=True, slots=True)
class JobLine:
    """One job as the overview shows it."""

    job: Job
    prospect: Prospect
    last: RunRow | None
    spark: Spark
    pause: Pause | None
    overdue: str
    asks: int

    @property
    def zone(self) -> str:
        return self.job.schedule.timezone if self.job.schedule else self.job.timezone

    @property
    def kinds(self) -> frozenset[str]:
        """The filters that it passes."""
        state = self.last.state if self.last else None
        marks = {
            "overdue": bool(self.overdue),
            "asking": self.asks > 0,
            "failed": state is RunState.FAILED,
            "degraded": state is RunState.DEGRADED,
            "running": state is not None and not state.ended,
            "paused": self.pause is not None,
            "broken": bool(self.job.broken),
        }
        return frozenset(name for name, holds in marks.items() if holds)

    def matches(self, text: str) -> bool:
        words = (self.job.id, self.job.description, self.job.owner, *self.job.tags)
        return text.lower() in " ".join(words).lower()


def lines(site: Site, now: datetime, only: str | None = None) -> list[JobLine]:
    """Every job, in the order of names. Each takes one look into an index, whatever the history holds."""
    jobs, queries = site.jobs(), site.queries
    names = [name for name in sorted(jobs) if only in {None, name}]
    recent = queries.recent(names, SHOWN_RUNS)
    marks = queries.watermarks()
    held = {pause.job: pause for pause in queries.pauses() if pause.holds(now)}
    asking = Counter(row.job for row in queries.escalations())
    return [_line(jobs[name], recent[name], marks.get(name), held, asking[name], now) for name in names]


def _line(
    job: Job,
    recent: Recent,
    mark: datetime | None,
    held: Mapping[str, Pause],
    asks: int,
    now: datetime,
) -> JobLine:
    pause = held.get(EVERYTHING) or held.get(job.id)
    ahead = prospect(job, mark, now)
    late = "" if pause or job.broken or not ahead.owed else "has not begun"
    slow = any(runs_too_long(job, run.instant, now) for run in recent.unfinished)
    overdue = "has not ended in time" if slow else late
    return JobLine(job, ahead, recent.last, spark(recent.states, SHOWN_RUNS), pause, overdue, asks)


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/")
    def overview(request: Request, q: str = "", only: str = "") -> HTMLResponse:
        now = site.clock.now()
        every = lines(site, now)
        counts = Counter(kind for line in every for kind in line.kinds)
        shown = [line for line in every if line.matches(q) and (only not in FILTERS or only in line.kinds)]
        held = next((pause for pause in site.queries.pauses() if pause.job == EVERYTHING and pause.holds(now)), None)
        return rendering.page(
            request,
            "overview.html",
            lines=shown,
            total=len(every),
            counts=counts,
            filters=FILTERS,
            q=q,
            only=only,
            held=held,
        )

    @routes.post("/pause")
    def pause_everything(request: Request, form: Form) -> RedirectResponse:
        until = pause_end(site.clock.now(), form.get("hours", ""))
        site.commands.pause(actor(request, "page"), EVERYTHING, form.get("why", "")[:500], until)
        return RedirectResponse("/?done=paused", 303)

    @routes.post("/resume")
    def resume_everything(request: Request, form: Form) -> RedirectResponse:  # noqa: ARG001 - its key is checked
        site.commands.resume(actor(request, "page"), EVERYTHING)
        return RedirectResponse("/?done=resumed", 303)

    return routes
