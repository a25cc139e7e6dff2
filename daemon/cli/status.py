"""`clockwright status`: how the daemon and its jobs stand, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain.pause import EVERYTHING, Pause
from . import pauses, printing
from .session import Session

if TYPE_CHECKING:
    from ..config import Loaded
    from ..domain.deadlines import Deadline
    from ..ports import Vitals

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def register(app: typer.Typer) -> None:
    app.command()(status)


def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Whether a daemon is at work, what is paused and by whom, what is open and what is overdue."""
    from ..domain.status import status_line

    session: Session = context.obj
    config = session.config()
    with closing(session.daemon(config)) as daemon:
        now, vitals = daemon.clock.now(), daemon.signs.vitals()
        at_work = daemon.doorbell.ring()
    due = _due(config, vitals, now)
    held = {pause.job: pause for pause in vitals.pauses if pause.holds(now)}
    if as_json:
        printing.say_json(_document(due, vitals, held, now, at_work=at_work))
        return
    typer.echo(f"{'a' if at_work else 'no'} daemon is at work here")
    runs = sum(vitals.open_runs.values())
    typer.echo(status_line(due, now, runs=runs, questions=vitals.escalations))
    zones = {job.id: job.timezone for job in config.jobs}
    for job, pause in sorted(held.items()):
        told = pauses.told(pause, zones.get(job, "UTC"))
        typer.echo(told if job == EVERYTHING else f"{job}: {told}")


def _due(config: Loaded, vitals: Vitals, now: datetime) -> dict[str, Deadline]:
    from ..domain.deadlines import Standing, deadline

    held = {pause.job for pause in vitals.pauses if pause.holds(now)}
    return {
        job.id: deadline(
            job,
            Standing(
                vitals.watermarks.get(job.id), vitals.open_since.get(job.id), paused=bool({job.id, EVERYTHING} & held)
            ),
            now,
        )
        for job in config.jobs
    }


def _document(
    due: Mapping[str, Deadline], vitals: Vitals, held: Mapping[str, Pause], now: datetime, *, at_work: bool
) -> dict[str, Any]:
    return {
        "at_work": at_work,
        "jobs": len(due),
        "runs_open": sum(vitals.open_runs.values()),
        "questions": vitals.escalations,
        "overdue": sorted(job for job, at in due.items() if at.overdue(now)),
        "everything_paused": EVERYTHING in held,
        "pauses": [
            {"job": pause.job, "by": pause.by, "why": pause.why, "since": pause.since, "until": pause.until}
            for _, pause in sorted(held.items())
        ],
    }
