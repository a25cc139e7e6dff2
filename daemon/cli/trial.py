"""One tool, once, in the real sandbox."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import typer

from ..adapters.sandbox.recipe import Recipe
from ..adapters.sandbox.runner import Sandbox
from ..adapters.tools import SandboxRunner
from ..config import Settings
from ..domain import wording
from ..domain.model import Failed, Purpose, Succeeded
from ..domain.nearest import did_you_mean
from ..domain.tool import ToolSpec
from ..ports import Call, Ended
from ..runtime.contracts import check_input, check_output
from . import printing
from .exit_codes import ExitCode
from .trouble import Misuse


def try_once(
    settings: Settings, spec: ToolSpec, given: dict[str, Any], secrets: dict[str, str], *, as_json: bool = False
) -> ExitCode:
    """The folder stays, so that its files can be looked at. Raises Misuse for an input or a secret that cannot be."""
    if fault := check_input(spec, given):
        raise Misuse(f"{spec.name} cannot take this input: {fault}", f"see 'clockwright tools show {spec.name}'")
    for name in secrets:
        if name not in spec.secrets:
            raise Misuse(f"{spec.name} declares no secret {name!r}", did_you_mean(name, spec.secrets))
    folder = Path(tempfile.mkdtemp(prefix=f"clockwright-{spec.name}-"))
    ended = _run(settings, _call(spec, given, secrets, folder))
    lie = check_output(spec, ended.outcome.output) if isinstance(ended.outcome, Succeeded) else ""
    if as_json:
        printing.say_json(asdict(ended) | {"folder": str(folder), "invalid_output": lie or None})
    else:
        _say(ended, folder, lie)
    return ExitCode.OK if isinstance(ended.outcome, Succeeded) and not lie else ExitCode.FAILED


def _call(spec: ToolSpec, given: dict[str, Any], secrets: dict[str, str], folder: Path) -> Call:
    return Call(
        id=f"try-{spec.name}",
        tool=spec.name,
        purpose=Purpose.RUN,
        input=given,
        workdir=folder,
        deadline=datetime.now(UTC) + spec.timeout,
        seconds=spec.timeout.total_seconds(),
        effect_key=f"try-{datetime.now(UTC):%Y%m%dT%H%M%S%f}",
        secrets=secrets,
    )


def _run(settings: Settings, call: Call) -> Ended:
    ends: SimpleQueue[Ended] = SimpleQueue()
    recipe = Recipe(settings.tools, (call.tool,), preload=(), spares=1, cache=settings.state / "cache")
    with closing(SandboxRunner(Sandbox(recipe))) as runner:
        running = runner.start(call, ends.put)
        try:
            return ends.get()
        except KeyboardInterrupt:
            running.kill()
            ends.get()
            raise


def _say(ended: Ended, folder: Path, lie: str) -> None:
    if ended.tail.strip():
        typer.echo("printed\n" + "\n".join(f"  | {line}" for line in ended.tail.strip().splitlines()))
    if not isinstance(ended.outcome, Succeeded):
        text = wording.failure(ended.outcome) if isinstance(ended.outcome, Failed) else str(ended.outcome)
        printing.console().print(f"failed: {text}", style="bold red")
        return
    printing.say_json(ended.outcome.output)
    for made in ended.outcome.artifacts:
        typer.echo(f"{made['name']}  {folder / 'out' / made['name']}")
    verdict = f"invalid output: {lie}" if lie else f"done: {ended.outcome.summary}"
    printing.console().print(verdict, style="bold red" if lie else "bold green")
