"""`clockwright escalations`: what people are asked, and their answers."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import printing
from .exit_codes import ExitCode
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon
    from ..ports import EscalationRow

ESCALATIONS = typer.Typer(help="What people are asked, and their answers.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def register(app: typer.Typer) -> None:
    app.add_typer(ESCALATIONS, name="escalations")


@ESCALATIONS.command("list")
def list_escalations(
    context: typer.Context,
    as_json: AsJson = False,
    all_: Annotated[bool, typer.Option("--all", help="Those that are closed as well, and who decided what.")] = False,
) -> None:
    """The open questions, oldest first."""
    session: Session = context.obj
    remote = session.remote
    rows = remote.escalations() if remote else _stored(session, include_closed=all_)
    if as_json:
        printing.say_json([asdict(row) for row in rows])
        return
    cells = [
        (
            row.id,
            row.job,
            row.question,
            " | ".join(row.options),
            _told(row) or f"{row.default} at {row.expires_at.astimezone():%F %R}",
        )
        for row in rows
    ]
    printing.say_table(
        ("id", "job", "question", "options", "decided, or without an answer"), cells, "nobody is asked anything"
    )


def _stored(session: Session, *, include_closed: bool) -> list[EscalationRow]:
    with closing(session.observer()) as daemon:
        return daemon.queries.escalations(include_closed=include_closed)


@ESCALATIONS.command("answer")
def answer(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The question's id, as 'escalations list' shows it.")],
    option: Annotated[str, typer.Argument(metavar="OPTION", help="One of the options that it offers.")],
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who answers; the user without it.")] = None,
    change: Annotated[
        list[str] | None, typer.Option(metavar="FIELD=JSON", help="Set an open input of the step; may be repeated.")
    ] = None,
) -> int:
    """Answer one question; the first valid answer counts."""
    from . import inbox

    session: Session = context.obj
    changes = dict(_change(each) for each in change or [])
    with closing(session.observer()) as daemon:
        asked = daemon.commands.open_question(id_)
        message = daemon.commands.answer(inbox.actor(by), id_, option, changes)
        typer.echo(_outcome(daemon, asked, option, message))
    return ExitCode.OK


def _change(text: str) -> tuple[str, Any]:
    field, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--change {text}: there is no value", "write FIELD=JSON")
    try:
        return field, json.loads(value)
    except json.JSONDecodeError:
        raise Misuse(f"--change {text}: {value!r} is not JSON", 'text needs quotes: field="text"') from None


def _outcome(daemon: Daemon, asked: EscalationRow, option: str, message: int) -> str:
    """A daemon that leads goes on with the run by itself; without one, `run` or `serve` takes it up.

    Raises Declined where somebody else's answer came first.
    """
    from ..ports import Declined
    from ..runtime.loop import LEASE_SECONDS
    from . import inbox
    from .carrying import in_time

    if daemon.store.lead(daemon.owner, LEASE_SECONDS) is not None:
        run = daemon.store.load(asked.run)
        return f"{option}: noted; go on with: clockwright run {run.job} --date {run.data.day}"
    in_time(inbox.PATIENCE, lambda: daemon.store.reply(message) is not None)
    reply = daemon.store.reply(message)
    if reply:
        raise Declined(f"{option}: not taken: {_decided(daemon, asked) or reply}")
    return f"{option}: " + ("noted; the daemon has not looked at it yet" if reply is None else "taken; the run goes on")


def _decided(daemon: Daemon, asked: EscalationRow) -> str:
    """Who decided what, and when; empty while nobody has."""
    rows = daemon.queries.escalations(include_closed=True)
    return next((_told(row) for row in rows if row.id == asked.id and row.closed_at), "")


def _told(row: EscalationRow) -> str:
    from ..domain.wording import decided

    return decided(row.option, row.closed_by, row.closed_at) if row.closed_at else ""
