"""`clockwright runs retry` and `clockwright runs diff`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import printing
from .exit_codes import ExitCode
from .session import Session

if TYPE_CHECKING:
    from ..domain.model import Run

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, as 'runs list' shows it.")]
SHOWN = 60


def retry_run(
    context: typer.Context,
    run: RunId,
    send: Annotated[bool, typer.Option("--send-again", help="Also send again what was delivered.")] = False,
    as_json: AsJson = False,
) -> int:
    """Make the run again, for the same date, under a new revision. What was delivered is not sent again."""
    from .carrying import Bulletin
    from .errand import Errand
    from .inbox import actor
    from .requesting import job_named

    session: Session = context.obj
    config, bulletin = session.config(), Bulletin()
    with closing(session.daemon(config, [bulletin])) as daemon:
        job_named(config, daemon.commands.load(run).job)
        made = daemon.commands.retry(actor(), run, send=send)
        return Errand(daemon, bulletin, as_json=as_json).see_through(made)


def diff_runs(
    context: typer.Context,
    before: RunId,
    after: Annotated[str, typer.Argument(metavar="OTHER", help="The run to compare it with.")],
    as_json: AsJson = False,
) -> int:
    """What differs between two runs: states, tries, outputs. Ends with 1 where anything does."""
    from ..domain.comparison import compare

    session: Session = context.obj
    with closing(session.observer()) as daemon:
        one, other = daemon.commands.load(before), daemon.commands.load(after)
    found = list(compare(one, other))
    if as_json:
        printing.say_json([asdict(difference) for difference in found])
    else:
        rows = [(each.step or "(run)", each.what, _shown(each.before), _shown(each.after)) for each in found]
        printing.say_table(("step", "what", _name(one), _name(other)), rows, "they do not differ")
    return ExitCode.FAILED if found else ExitCode.OK


def _name(run: Run) -> str:
    return run.id


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
