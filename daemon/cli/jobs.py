"""`clockwright jobs`: what there is to run, and when."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain import times
from ..domain.document import job_document
from ..domain.nearest import did_you_mean
from ..domain.pause import EVERYTHING, Pause
from . import pauses, printing
from .schedule import due, next_due
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..domain.job import Job
    from ..ports import RunRow

JOBS = typer.Typer(help="What there is to run, and when.", no_args_is_help=True, rich_markup_mode=None)
COLUMNS = ("job", "schedule", "zone", "next due", "last run", "owner", "description")
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def register(app: typer.Typer) -> None:
    pauses.register(JOBS)
    app.add_typer(JOBS, name="jobs")


@JOBS.command("list")
def list_jobs(context: typer.Context, as_json: AsJson = False) -> None:
    """Every job: schedule, next due, last run, owner."""
    session: Session = context.obj
    if session.remote:
        _say_remote(session.remote.jobs(), as_json=as_json)
        return
    config, now = session.config(), datetime.now(UTC)
    with closing(session.observer()) as daemon:
        last = {job.id: next(iter(daemon.queries.runs(job.id, limit=1)), None) for job in config.jobs}
        held = pauses.standing(daemon)
    if as_json:
        printing.say_json([_document(job, last[job.id], now, _held(job, held)) for job in config.jobs])
        return
    printing.say_table(COLUMNS, [_row(job, last[job.id], now, _held(job, held)) for job in config.jobs], "no jobs")
    _say_broken(config.jobs)
    if config.faults:
        typer.echo(f"{len(config.faults)} faults in job files: see 'clockwright validate'", err=True)


def _say_remote(jobs: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        printing.say_json(jobs)
        return
    rows = [
        (job["id"], (job["schedule"] or {}).get("written", ""), job["timezone"], _upcoming(job),
         job["last_run"]["state"] if job["last_run"] else "never", job["owner"], job["description"])
        for job in jobs
    ]  # fmt: skip
    printing.say_table(COLUMNS, rows, "no jobs")


def _upcoming(job: dict[str, Any]) -> str:
    if job["broken"] or job["paused"]:
        return "broken" if job["broken"] else "paused"
    return times.local(datetime.fromisoformat(job["next_due"]), job["timezone"]) if job["next_due"] else "on request"


def _held(job: Job, held: dict[str, Pause]) -> Pause | None:
    return held.get(EVERYTHING) or held.get(job.id)


def _row(job: Job, last: RunRow | None, now: datetime, held: Pause | None) -> tuple[str, ...]:
    cron, zone = (job.schedule.written, job.schedule.timezone) if job.schedule else (_following(job), job.timezone)
    upcoming = "broken" if job.broken else pauses.told(held, zone) if held else next_due(job, now)[0]
    return job.id, cron, zone, upcoming, last.state if last else "never", job.owner, job.description


def _following(job: Job) -> str:
    return f"after {job.after}" if job.after else ""


def _say_broken(jobs: tuple[Job, ...]) -> None:
    for job in jobs:
        if job.broken:
            typer.echo(f"{job.id} cannot run: {job.broken}", err=True)


def _document(job: Job, last: RunRow | None, now: datetime, held: Pause | None) -> dict[str, Any]:
    shown = {"id": last.id, "state": last.state.value, "date": last.date} if last else None
    following = next(iter(due(job, now)), None)
    return job_document(job, shown, following.isoformat() if following else None, held)


@JOBS.command("next")
def next_instants(
    context: typer.Context,
    job: Annotated[str | None, typer.Argument(metavar="[JOB]", help="One job; all of them without it.")] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many instants of each job.")] = 5,
    as_json: AsJson = False,
) -> None:
    """The coming due times, in the schedule's zone and in UTC."""
    session: Session = context.obj
    config, now = session.config(), datetime.now(UTC)
    if job is not None and job not in config.by_id:
        raise Misuse(f"there is no job {job!r}", did_you_mean(job, config.by_id))
    chosen = [config.by_id[job]] if job else list(config.jobs)
    coming = sorted((at, each.id, each) for each in chosen for at in due(each, now, count))
    if as_json:
        printing.say_json([{"job": name, "due": at, "local": _local(each, at)} for at, name, each in coming])
        return
    rows = [(name, _local(each, at), times.utc(at)) for at, name, each in coming]
    printing.say_table(("job", "due", "in UTC"), rows, "nothing is scheduled")


def _local(job: Job, at: datetime) -> str:
    return times.local(at, job.schedule.timezone if job.schedule else job.timezone)
