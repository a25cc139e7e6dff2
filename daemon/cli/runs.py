"""`clockwright runs`: what ran, what runs, and why it came out as it did."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain import times
from ..domain.nearest import did_you_mean
from . import printing, retrying
from .exit_codes import ExitCode
from .prune import prune
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..domain.model import RunState
    from ..ports import RunRow

RUNS = typer.Typer(help="What ran, what runs, and why.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, as 'runs list' shows it.")]


def register(app: typer.Typer) -> None:
    RUNS.command()(prune)
    RUNS.command("retry")(retrying.retry_run)
    RUNS.command("diff")(retrying.diff_runs)
    app.add_typer(RUNS, name="runs")


@RUNS.command("list")
def list_runs(
    context: typer.Context,
    job: Annotated[str | None, typer.Option(metavar="JOB", help="Only runs of this job.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="Only runs in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """The latest runs, newest first."""
    session: Session = context.obj
    rows = _rows(session, job, _state(state), limit)
    if as_json:
        printing.say_json([asdict(row) for row in rows])
        return
    columns = ("run", "about", "state", "began", "took", "reason")
    cells = []
    for row in rows:
        took = times.length((row.ended_at - row.started_at).total_seconds()) if row.ended_at and row.started_at else ""
        began = f"{(row.started_at or row.queued_at).astimezone():%Y-%m-%d %H:%M:%S}"
        cells.append((row.id, row.date, row.state.value, began, took, row.reason or f"({row.cause})"))
    printing.say_table(columns, cells, "no runs")


def _rows(session: Session, job: str | None, state: RunState | None, limit: int) -> list[RunRow]:
    if session.remote:
        return session.remote.runs(job, state, limit)
    with closing(session.observer()) as daemon:
        return daemon.queries.runs(job, state, limit)


def _state(name: str | None) -> RunState | None:
    from ..domain.model import RunState

    try:
        return RunState(name) if name is not None else None
    except ValueError:
        raise Misuse(
            f"there is no state {name!r}", did_you_mean(str(name), [each.value for each in RunState])
        ) from None


@RUNS.command("show")
def show_run(context: typer.Context, run: RunId, as_json: AsJson = False) -> None:
    """One run: its steps, decisions, failures, deliveries and files."""
    from .run_page import say_document, say_page, say_remote

    session: Session = context.obj
    if session.remote:
        say_remote(session.remote.run(run), as_json=as_json)
        return
    with closing(session.observer()) as daemon:
        (say_document if as_json else say_page)(daemon, daemon.commands.load(run))


@RUNS.command("cancel")
def cancel_run(
    context: typer.Context,
    run: RunId,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who cancels; the user without it.")] = None,
) -> int:
    """End a run: what is in flight is killed, what is done stays done."""
    from . import inbox

    session: Session = context.obj
    with closing(session.observer()) as daemon:
        daemon.commands.cancel(inbox.actor(by), run)
        if inbox.acted_on(daemon, run, lambda now: now.state.ended):
            typer.echo(f"{run}: {daemon.store.load(run).state}")
        else:
            typer.echo(f"{run}: asked to end; it has not ended yet: see 'clockwright runs show {run}'")
    return ExitCode.OK
