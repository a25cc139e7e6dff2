"""`clockwright run`: one job, now, to its end."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import Annotated

import typer

from .requesting import day_named, job_named
from .session import Session
from .trouble import Misuse


def register(app: typer.Typer) -> None:
    app.command()(run)


def run(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The day to report on; yesterday without it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do everything, under a key of its own: the real run is still to come.")
    ] = False,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send again what was delivered for that day; it is recorded who asked.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="No progress; one JSON document at the end.")] = False,
) -> int:
    """Run a job now and follow it. A run that was cut short is taken up where it was."""
    if dry_run and resend:
        raise Misuse("--dry-run and --resend exclude each other", "a dry run never stands for the real one")
    session: Session = context.obj
    config = session.config()
    chosen = job_named(config, job)
    day = day_named(date, chosen, datetime.now(UTC))

    from .carrying import Bulletin
    from .errand import Errand

    bulletin = Bulletin()
    with closing(session.daemon(config, [bulletin])) as daemon:
        errand = Errand(daemon, bulletin, as_json=as_json)
        return errand.send_again(chosen, day) if resend else errand.run(chosen, day, dry_run=dry_run)
