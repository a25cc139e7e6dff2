"""`clockwright escalations`: what people are asked, and their answers."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain.nearest import did_you_mean
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
def list_escalations(context: typer.Context, as_json: AsJson = False) -> None:
    """The open questions, oldest first."""
    session: Session = context.obj
    with closing(session.observer()) as daemon:
        rows = daemon.queries.escalations()
    if as_json:
        printing.say_json([asdict(row) for row in rows])
        return
    cells = [
        (
            row.id,
            row.job,
            row.question,
            " | ".join(row.options),
            f"{row.default} at {row.expires_at.astimezone():%F %R}",
        )
        for row in rows
    ]
    printing.say_table(("id", "job", "question", "options", "without an answer"), cells, "nobody is asked anything")


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
    from ..ports import MessageKind
    from . import inbox

    session: Session = context.obj
    changes = dict(_change(each) for each in change or [])
    with closing(session.observer()) as daemon:
        asked = _open_question(daemon, id_)
        if option not in asked.options:
            raise Misuse(f"{option!r} is not offered", did_you_mean(option, asked.options))
        _expect_open(daemon, asked, option, changes)
        body = {"escalation": id_, "option": option, "changes": changes}
        inbox.post(daemon, asked.run, MessageKind.ANSWER, inbox.person(by), body)
        typer.echo(_outcome(daemon, asked, option))
    return ExitCode.OK


def _change(text: str) -> tuple[str, Any]:
    field, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--change {text}: there is no value", "write FIELD=JSON")
    try:
        return field, json.loads(value)
    except json.JSONDecodeError:
        raise Misuse(f"--change {text}: {value!r} is not JSON", 'text needs quotes: field="text"') from None


def _open_question(daemon: Daemon, wanted: str) -> EscalationRow:
    open_ones = {row.id: row for row in daemon.queries.escalations()}
    if wanted in open_ones:
        return open_ones[wanted]
    if any(row.id == wanted for row in daemon.queries.escalations(include_closed=True)):
        raise Misuse(f"the question {wanted!r} is closed: it has been answered, or its time is over")
    raise Misuse(f"there is no question {wanted!r}", did_you_mean(wanted, open_ones))


def _expect_open(daemon: Daemon, asked: EscalationRow, option: str, changes: dict[str, Any]) -> None:
    """Raises Misuse for an input that the plan does not open, and for changes that nothing would use."""
    if not changes:
        return
    from ..domain.policy import RETRY

    if option != RETRY:
        raise Misuse(f"--change goes with {RETRY!r} only; {option!r} would not use it")
    plan = daemon.plans.get(daemon.store.load(asked.run).plan)
    allowed = plan.by_id[asked.step].open if asked.step else ()
    for field in changes:
        if field not in allowed:
            raise Misuse(f"the input {field!r} may not be changed", did_you_mean(field, allowed) or "none is open")


def _outcome(daemon: Daemon, asked: EscalationRow, option: str) -> str:
    """A daemon that leads goes on with the run by itself; without one, `run` or `serve` takes it up."""
    from ..runtime.loop import LEASE_SECONDS
    from . import inbox
    from .carrying import in_time

    if daemon.store.lead(daemon.owner, LEASE_SECONDS) is not None:
        run = daemon.store.load(asked.run)
        return f"{option}: noted; go on with: clockwright run {run.job} --date {run.data.day}"
    taken = in_time(inbox.PATIENCE, lambda: asked.id not in daemon.store.load(asked.run).escalations)
    return f"{option}: " + ("taken; the run goes on" if taken else "noted; the daemon has not looked at it yet")
