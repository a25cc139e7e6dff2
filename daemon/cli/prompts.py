"""`clockwright prompts`: whether a change of prompt or model would decide as well as what was decided before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain.events import Decided
from . import printing
from .exit_codes import ExitCode
from .session import Session
from .trouble import Misuse, Refused

if TYPE_CHECKING:
    from ..adapters.llm.cases import Case
    from ..adapters.llm.evaluation import Answered, Report
    from ..app import Daemon
    from ..domain.llm import Llm

PROMPTS = typer.Typer(
    help="Test a prompt or a model on recorded decisions.", no_args_is_help=True, rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    app.add_typer(PROMPTS, name="prompts")


@PROMPTS.command("export")
def export(
    context: typer.Context,
    job: Annotated[str | None, typer.Option(metavar="JOB", help="Of this job only.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="From so many runs, the newest first.")] = 50,
) -> None:
    """Print stored decisions as cases, one JSON object a line; 'accepted' is what was decided, for you to correct."""
    from ..adapters.llm.cases import line_of

    session: Session = context.obj
    with closing(session.observer()) as daemon:
        for case in _cases(daemon, job, limit):
            typer.echo(line_of(case))


@PROMPTS.command("eval")
def evaluate_cases(
    context: typer.Context,
    cases: Annotated[Path, typer.Option(metavar="FILE", help="Cases, as 'prompts export' prints them.")],
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Another model than the configured one.")] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Another endpoint.")] = None,
    job: Annotated[str | None, typer.Option(metavar="JOB", help="Whose model; the first job's that has one.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Ask each so often; pass^k counts all k right.")] = 1,
) -> int:
    """Ask a model about recorded situations; report validity, agreement, latency, cost and pass^k as JSON."""
    from ..adapters.llm.cases import read_cases
    from ..adapters.llm.evaluation import Report, evaluate
    from ..adapters.llm.line import Line
    from ..adapters.llm.prompts import read_prompts

    session: Session = context.obj
    llm = _model(session, job, model, base_url)
    report = Report(read_cases(_lines(cases), cases.name))
    line = Line.to(llm, session.settings().secrets, _boot)
    with closing(line):
        for case, answered in evaluate(report.cases, llm, read_prompts(llm.prompts), line, repeat):
            report.tries.setdefault(case.id, []).append(answered)
            _say(case, answered)
    printing.say_json(report.figures(llm))
    return _code(report)


def _boot() -> float:
    from ..adapters.clock import SystemClock

    return SystemClock().boot()


def _cases(daemon: Daemon, job: str | None, limit: int) -> Iterator[Case]:
    from ..adapters.llm.cases import case_of

    for row in daemon.queries.runs(job=job, limit=limit):
        for number, event in enumerate(daemon.queries.events(row.id)):
            if not isinstance(event, Decided):
                continue
            if case := case_of(event.decision, f"{row.id}/{event.step}/{number}", daemon.artifacts.get):
                yield case


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"cannot read the cases in {path}: {error}") from error


def _model(session: Session, job: str | None, model: str | None, base_url: str | None) -> Llm:
    """The configured one, with what the command line says in its place."""
    from ..domain.llm import Endpoint, Llm

    found = {each.id: each.model for each in session.config().jobs if each.model}
    if job is not None and job not in found:
        raise Misuse(f"the job {job!r} has no model", f"jobs with one: {', '.join(found) or 'none'}")
    llm = found[job] if job else next(iter(found.values()), None)
    if llm is None and model is None:
        raise Refused("no job has a model: name one with --model, or configure it under 'model'")
    llm = llm or Llm(Endpoint(model or ""))
    endpoint = replace(llm.endpoint, model=model or llm.endpoint.model)
    return replace(llm, endpoint=replace(endpoint, base_url=base_url) if base_url else endpoint)


def _say(case: Case, answered: Answered) -> None:
    """Progress, and what to look at, on stderr: stdout is for the report."""
    wrong = answered.letter not in case.accepted
    if wrong or os.isatty(2):
        said = answered.letter or answered.why
        typer.echo(f"{'wrong' if wrong else 'right'}  {case.id}: {said}", err=True)


def _code(report: Report) -> ExitCode:
    """Failed where an answer was wrong, so that a change can be refused by a script."""
    right = all(one.letter in case.accepted for case, one in report.every)
    return ExitCode.OK if right else ExitCode.FAILED
