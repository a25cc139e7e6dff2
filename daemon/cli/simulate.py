"""`clockwright simulate`: how a job would come out, from many simulated runs of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain import times
from ..domain.nearest import did_you_mean
from . import printing
from .casting import cast
from .exit_codes import ExitCode
from .requesting import job_named
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..domain.plan import Plan
    from ..testing.faults import Faults
    from ..testing.habits import Habit
    from ..testing.rehearsal import Prediction, Take, Troupe


def register(app: typer.Typer) -> None:
    app.command()(simulate)


def simulate(  # noqa: PLR0913, PLR0917 - each is an option of the command
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    runs: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many runs.")] = 500,
    seed: Annotated[int, typer.Option(help="Of the first run; the same seed gives the same run.")] = 1,
    faults: Annotated[
        str, typer.Option(metavar="NAME=SHARE,...", help="What goes wrong how often, for example tool=0.2,kill=0.1.")
    ] = "",
    ask_model: Annotated[
        bool, typer.Option("--ask-model", help="Have the job's own model decide, asked each question once; it costs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Run a job many times in virtual time, with its own plan and its own history, and nothing real touched."""
    from ..testing.rehearsal import predict, skeleton

    session: Session = context.obj
    chosen = job_named(session.config(), job)
    around, failing = _faults(faults)
    with cast(session, chosen, failing, ask_model=ask_model) as troupe:
        if not as_json:
            _say_assumptions(troupe.known, around)
        takes = _takes(skeleton(chosen.plan), troupe, around, range(seed, seed + runs))
        found = predict(list(_shown(takes, runs, hide=as_json)))
    if as_json:
        printing.say_json(asdict(found) | {"seed": seed, "faults": asdict(around), "steps": _steps(troupe.known)})
    else:
        _say(found)
    return ExitCode.FAILED if found.violations else ExitCode.OK


def _faults(text: str) -> tuple[Faults, float | None]:
    """What goes wrong around the tools, and the share of failing attempts where one is given. Raises Misuse."""
    from ..testing.rehearsal import USUAL

    names = [field.name for field in fields(USUAL)]
    given: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, share = part.partition("=")
        if name not in names:
            raise Misuse(f"there is no fault {name!r}", did_you_mean(name, names) or ", ".join(names))
        given[name] = _share(part, share)
    return replace(USUAL, **{name: share for name, share in given.items() if name != "tool"}), given.get("tool")


def _share(part: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise Misuse(f"{part!r} gives no share between 0 and 1", "write for example tool=0.2")
    return share


def _takes(plan: Plan, troupe: Troupe, faults: Faults, seeds: range) -> Iterator[Take]:
    from ..testing.rehearsal import rehearse

    return (rehearse(plan, troupe, seed, faults) for seed in seeds)


def _shown(takes: Iterator[Take], total: int, *, hide: bool) -> Iterator[Take]:
    """With a progress bar on a terminal."""
    from rich.progress import track

    console = printing.console(stderr=True)
    quiet = hide or not console.is_terminal
    yield from track(takes, "simulating", total=total, console=console, disable=quiet, transient=True)


def _steps(known: Mapping[str, Habit]) -> dict[str, dict[str, float]]:
    return {
        step: {"failing": habit.failing, "seconds": sum(habit.seconds) / len(habit.seconds), "attempts": habit.known}
        for step, habit in known.items()
    }


def _say_assumptions(known: Mapping[str, Habit], faults: Faults) -> None:
    rows = [
        (step, f"{facts['failing']:.1%}", times.length(facts["seconds"]), _source(int(facts["attempts"])))
        for step, facts in _steps(known).items()
    ]
    printing.say_table(("step", "attempts fail", "take", "known from"), rows, "no steps")
    around = ", ".join(f"{name} {share:g}" for name, share in asdict(faults).items() if share and name != "tool")
    typer.echo(f"around them: {around or 'nothing goes wrong'}\n")


def _source(attempts: int) -> str:
    return f"{attempts} attempts" if attempts else "nothing yet: defaults"


def _say(found: Prediction) -> None:
    for outcome, share in found.shares.items():
        typer.echo(f"{outcome:10} {share:7.2%}")
    typer.echo(f"\nduplicates {found.duplicates}")
    typer.echo(f"duration   {times.length(found.p50)} at the median, {times.length(found.p95)} at the 95th percentile")
    typer.echo(f"tokens     {found.tokens:,.0f} a run" if found.tokens else "tokens     0: decided by rule")
    typer.echo(f"the worst  {', '.join(f'--runs 1 --seed {seed}' for seed in found.worst)}")
    for broken in found.violations:
        printing.console().print(broken, style="bold red")
