"""One job: its ledger as a calendar, how long its runs take, and what is coming."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from statistics import median
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...domain import times
from ...domain.job import Job
from ...domain.model import RunState
from ...domain.schedule import due_after
from ...ports import Accounted, Declined, RunRow
from ..drawing import bars
from ..forms import Form, actor, paused_until
from ..rendering import Rendering
from ..site import Site
from .overview import lines

WEEKS = 13
MOST_ROWS = 5000
SHOWN_RUNS = 60
COMING = 5
_WORST = ("failed", "missed", "degraded", "cancelled", "running", "skipped", "succeeded")


@dataclass(frozen=True, slots=True)
class DayCell:
    """One day of the calendar; `run` where there is just one."""

    day: date
    state: str
    words: str
    run: str | None


def calendar(rows: Iterable[Accounted], zone: str, today: date) -> list[list[DayCell | None]]:
    """Weeks from Monday to Sunday, the oldest first; nothing for days that are still to come."""
    by_day: dict[date, list[Accounted]] = defaultdict(list)
    for row in rows:
        by_day[row.instant.astimezone(ZoneInfo(zone)).date()].append(row)
    monday = first_day(today)
    weeks = [[monday + timedelta(days=7 * week + day) for day in range(7)] for week in range(WEEKS)]
    return [[_cell(day, by_day.get(day, [])) if day <= today else None for day in week] for week in weeks]


def first_day(today: date) -> date:
    return today - timedelta(days=today.weekday() + 7 * (WEEKS - 1))


def _cell(day: date, rows: Sequence[Accounted]) -> DayCell:
    found = [_state(row) for row in rows]
    worst = next((state for state in _WORST if state in found), "")
    counted = {state: found.count(state) for state in _WORST if state in found}
    words = ", ".join(f"{number} {state}" if len(rows) > 1 else state for state, number in counted.items())
    return DayCell(day, worst, words or "not due", rows[0].run if len(rows) == 1 else None)


def _state(row: Accounted) -> str:
    if row.state is not None:
        return row.state.value if row.state.ended else "running"
    if row.run is not None:
        return "succeeded" if row.disposition.value.endswith("started") else "skipped"
    return "missed" if row.disposition.value in {"missed_expired", "blocked_invalid"} else "skipped"


def router(site: Site, rendering: Rendering) -> APIRouter:
    routes = APIRouter()

    @routes.get("/jobs/{job_id}")
    def job_page(request: Request, job_id: str) -> HTMLResponse:
        now = site.clock.now()
        line = next(iter(lines(site, now, job_id)), None)
        if line is None:
            raise HTTPException(404, f"there is no job {job_id!r}")
        runs = site.queries.runs(job_id, limit=SHOWN_RUNS)
        today = now.astimezone(ZoneInfo(line.zone)).date()
        start = datetime.combine(first_day(today), time(), ZoneInfo(line.zone)).astimezone(UTC)
        rows = site.queries.accounted(job_id, start, MOST_ROWS)
        return rendering.page(
            request,
            "job.html",
            line=line,
            job=line.job,
            runs=runs,
            weeks=calendar(rows, line.zone, today),
            cut=len(rows) == MOST_ROWS,
            coming=_coming(line.job, now),
            runbook=_link(line.job.runbook),
            **_durations(runs),
        )

    @routes.post("/jobs/{job_id}/run")
    def run_job(request: Request, job_id: str, form: Form) -> RedirectResponse:
        made = site.commands.request(
            actor(request, "page"), job_id, _date(form.get("date", "")), dry_run="dry_run" in form
        )
        return RedirectResponse(f"/runs/{made.run.id}?done=requested", 303)

    @routes.post("/jobs/{job_id}/pause")
    def pause_job(request: Request, job_id: str, form: Form) -> RedirectResponse:
        until = paused_until(form, site.clock.now())
        site.commands.pause(actor(request, "page"), job_id, form.get("why", "")[:500], until)
        return RedirectResponse(f"/jobs/{job_id}?done=paused", 303)

    @routes.post("/jobs/{job_id}/resume")
    def resume_job(request: Request, job_id: str, form: Form) -> RedirectResponse:  # noqa: ARG001 - its key is checked
        if job_id not in site.jobs():
            raise HTTPException(404, f"there is no job {job_id!r}")
        site.commands.resume(actor(request, "page"), job_id)
        return RedirectResponse(f"/jobs/{job_id}?done=resumed", 303)

    return routes


def _coming(job: Job, now: datetime) -> list[datetime]:
    return list(islice(due_after(job.schedule, now), COMING)) if job.schedule else []


def _durations(runs: Sequence[RunRow]) -> Mapping[str, Any]:
    took = [
        (run.state, (run.ended_at - run.started_at).total_seconds())
        for run in reversed(runs)
        if run.ended_at and run.started_at and run.state is not RunState.CANCELLED
    ]
    drawn = bars([(state, seconds, f"{times.length(seconds)}, {state.value}") for state, seconds in took])
    lengths = [seconds for _, seconds in took]
    return {
        "durations": drawn,
        "typical": times.length(median(lengths)) if lengths else "",
        "longest": times.length(max(lengths)) if lengths else "",
    }


def _link(text: str) -> str:
    """Only what is safe to follow; anything else is shown as text."""
    try:
        return text if urlsplit(text).scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Declined(f"{text!r} is not a date", "write it as YYYY-MM-DD") from None
