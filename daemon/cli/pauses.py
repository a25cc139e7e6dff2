"""`clockwright jobs pause` and `resume`: a job, or everything, for a while; with who and why."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain import times
from ..domain.nearest import did_you_mean
from ..domain.pause import EVERYTHING, Pause
from .inbox import actor
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon

By = Annotated[str | None, typer.Option(metavar="NAME", help="Who does it; the user without it.")]
JobNames = Annotated[list[str] | None, typer.Argument(metavar="[JOB]...", help="The jobs' ids.")]
All = Annotated[bool, typer.Option("--all", help="Everything.")]


def register(jobs: typer.Typer) -> None:
    jobs.command("pause")(pause)
    jobs.command("resume")(resume)


def pause(
    context: typer.Context,
    jobs: JobNames = None,
    everything: All = False,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="2026-03-10T10:00, local; until it is resumed without it.")
    ] = None,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Shown wherever the pause is.")] = "",
    by: By = None,
) -> None:
    """Start nothing of a job. What is owed afterwards is caught up by the job's own rule."""
    session: Session = context.obj
    end = _moment(until) if until else None
    names = _named(jobs, everything=everything)
    config = session.config()
    for name in names:
        if name != EVERYTHING and name not in config.by_id:
            raise Misuse(f"there is no job {name!r}", did_you_mean(name, config.by_id))
    with closing(session.daemon(config)) as daemon:
        for name in names:
            daemon.commands.pause(actor(by), name, why, end)
            typer.echo(f"{_shown(name)} paused" + (f" until {end.astimezone():%Y-%m-%d %H:%M %Z}" if end else ""))


def resume(context: typer.Context, jobs: JobNames = None, everything: All = False, by: By = None) -> None:
    """Go on. With --all every pause ends, also those that the daemon itself began."""
    session: Session = context.obj
    names = _named(jobs, everything=everything)
    with closing(session.observer()) as daemon:
        if names == [EVERYTHING]:
            names = sorted({pause.job for pause in daemon.store.pauses()})
        for name in names:
            ended = daemon.commands.resume(actor(by), name)
            typer.echo(f"{_shown(name)} {'resumed' if ended else 'was not paused'}")
        if not names:
            typer.echo("nothing is paused")


def standing(daemon: Daemon) -> dict[str, Pause]:
    """The pauses that hold now, by job."""
    now = datetime.now(UTC)
    return {pause.job: pause for pause in daemon.store.pauses() if pause.holds(now)}


def told(pause: Pause, zone: str) -> str:
    """`paused by ada: the source is moved, until Tue 2026-03-10 10:00 CET`."""
    return pause.told + (f", until {times.local(pause.until, zone)}" if pause.until else "")


def _named(jobs: list[str] | None, *, everything: bool) -> list[str]:
    if bool(jobs) == everything:
        raise Misuse("name the jobs, or say --all", "")
    return list(jobs or [EVERYTHING])


def _shown(name: str) -> str:
    return "everything:" if name == EVERYTHING else f"{name}:"


def _moment(text: str) -> datetime:
    try:
        end = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise Misuse(f"{text!r} is not a time", "write it as 2026-03-10T10:00") from None
    if end <= datetime.now(UTC):
        raise Misuse(f"{text} has passed", "a pause ends in the future")
    return end
