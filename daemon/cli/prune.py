"""`clockwright runs prune`: forget what ended long ago."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from . import printing
from .inbox import actor
from .session import Session


def prune(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be forgotten.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Forget runs older than their job's retention; the ledger's counts and the delivery receipts stay."""
    from ..runtime.tidy import forget, sweep

    session: Session = context.obj
    config = session.config()
    with closing(session.daemon(config)) as daemon:
        if not dry_run:
            daemon.commands.note(actor(), "prune")
        found = list(forget(daemon.attic, config.jobs, daemon.clock.now(), dry_run=dry_run))
        if not dry_run:
            sweep(daemon.artifacts, config.jobs, daemon.clock.now())
    if as_json:
        printing.say_json([{"job": one.job, "runs": one.runs, "before": one.before} for one in found])
        return
    rows = [(one.job, str(one.runs), f"{one.before.astimezone():%Y-%m-%d %H:%M}") for one in found]
    printing.say_table(("job", "would forget" if dry_run else "forgot", "ended before"), rows, "nothing is old enough")
