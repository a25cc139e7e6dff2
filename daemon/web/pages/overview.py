"""All jobs at a glance: what needs a person first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...domain.birth import wanted_since
from ...domain.deadlines import Standing
from ...domain.job import Job
from ...domain.model import RunState
from ...domain.overdue import Overdue, overdue
from ...domain.pause import EVERYTHING, Pause
from ...domain.schedule import due_after
from ...ports import Recent, RunRow
from ..drawing import Spark, spark
from ..forms import Form, actor, paused_until
from ..rendering import Rendering
from ..site import Site

SHOWN_RUNS = 30
FILTERS = ("overdue", "asking", "failed", "degraded", "running", "paused", "broken")


@dataclass(frozen=True, slots=True)
class JobLine:
    """One job as the overview shows it."""

    job: Job
    next_due: datetime | None
    """None for a job that has no schedule of its own."""
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
    coming = next(due_after(job.schedule, now), None) if job.schedule else None
    late = overdue(job, _standing(recent, mark), _queued(recent), now)
    held_back = late is not None and not late.begun and (pause or job.broken)
    words = "" if held_back else _words(late)
    return JobLine(job, coming, recent.last, spark(recent.states, SHOWN_RUNS), pause, words, asks)


def _standing(recent: Recent, mark: datetime | None) -> Standing:
    return Standing(mark, _oldest(recent.unfinished))


def _queued(recent: Recent) -> datetime | None:
    return _oldest(run for run in recent.unfinished if run.state is RunState.QUEUED)


def _oldest(runs: Iterable[RunRow]) -> datetime | None:
    return min((wanted_since(run.cause, run.instant, run.queued_at) for run in runs), default=None)


def _words(late: Overdue | None) -> str:
    if late is None:
        return ""
    return "has not ended in time" if late.begun else "has not begun"


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/")
    def overview(request: Request, q: str = "", only: str = "") -> HTMLResponse:
        every = lines(site, site.clock.now())
        counts = Counter(kind for line in every for kind in line.kinds)
        shown = [line for line in every if line.matches(q) and (only not in FILTERS or only in line.kinds)]
        return rendering.page(
            request, "overview.html", lines=shown, total=len(every), counts=counts, filters=FILTERS, q=q, only=only
        )

    @routes.post("/pause")
    def pause(request: Request, form: Form) -> RedirectResponse:
        until = paused_until(form, site.clock.now())
        site.commands.pause(actor(request, "page"), EVERYTHING, form.get("why", "")[:500], until)
        return RedirectResponse("/?done=paused", 303)

    @routes.post("/resume")
    def resume(request: Request, form: Form) -> RedirectResponse:  # noqa: ARG001 - its key is checked
        site.commands.resume(actor(request, "page"), EVERYTHING)
        return RedirectResponse("/?done=resumed", 303)

    return routes
