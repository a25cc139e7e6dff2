"""`clockwright validate`: everything wrong with the configuration at once, and what it will do."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain.numbers import counted
from . import clock_changes, printing
from .exit_codes import ExitCode
from .schedule import due, next_due
from .session import Session

if TYPE_CHECKING:
    from ..config import Fault, Loaded


def register(app: typer.Typer) -> None:
    app.command()(validate)


def validate(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Check settings, tools and jobs. Says every fault with its place, and when each job is due next."""
    session: Session = context.obj
    config = session.config()
    warnings = _warnings(config)
    if as_json:
        printing.say_json(_document(session, config, warnings))
    else:
        _tell(session, config, warnings)
    return ExitCode.CONFIG if config.faults else ExitCode.OK


def _warnings(config: Loaded) -> list[Fault]:
    from ..config.variables import unknown_variables

    return [*unknown_variables(os.environ), *config.warnings]


def _document(session: Session, config: Loaded, warnings: list[Fault]) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "folder": str(session.folder),
        "valid": not config.faults,
        "faults": [asdict(fault) for fault in config.faults],
        "warnings": [asdict(fault) for fault in warnings],
        "jobs": [
            {
                "id": job.id,
                "timezone": job.timezone,
                "due": due(job, now),
                "clock_changes": clock_changes.document(job, now),
                "broken": job.broken or None,
            }
            for job in config.jobs
        ],
    }


def _tell(session: Session, config: Loaded, warnings: list[Fault]) -> None:
    errors = printing.console(stderr=True)
    for fault in config.faults:
        errors.print(f"error   {fault}", style="red")
    for warning in warnings:
        errors.print(f"warning {warning}", style="yellow")
    now = datetime.now(UTC)
    rows = [(job.id, "broken" if job.broken else "ok", *next_due(job, now)) for job in config.jobs]
    printing.say_table(("job", "state", "next due", "in UTC"), rows, "no jobs")
    for job in config.jobs:
        for line in clock_changes.lines(job, now):
            typer.echo(line)
    typer.echo(f"{session.folder}: {_count(config, warnings)}")


def _count(config: Loaded, warnings: list[Fault]) -> str:
    counts = ((len(config.jobs), "job"), (len(config.faults), "fault"), (len(warnings), "warning"))
    return ", ".join(counted(number, word) for number, word in counts)
