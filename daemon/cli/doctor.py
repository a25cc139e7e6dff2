"""`clockwright doctor`: looks at everything that the daemon needs, and says what mends what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain.checkup import Finding, Level, fail, worst
from ..domain.errors import ClockwrightError
from ..domain.redaction import Redactor
from . import printing
from .exit_codes import ExitCode
from .session import Session

if TYPE_CHECKING:
    from ..app import Daemon
    from ..config import Loaded

_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Check configuration, store, clock, model, databases, ports, packages and service. Sends and changes nothing."""
    session: Session = context.obj
    found = []
    console = printing.console()
    for finding in examine(session):
        found.append(finding)
        if not as_json:
            console.print(line(finding), style=_STYLES[finding.level])
    state = worst(found)
    if as_json:
        printing.say_json({"worst": state, "findings": [asdict(finding) for finding in found]})
    return ExitCode.FAILED if state is Level.FAIL else ExitCode.OK


def line(finding: Finding) -> str:
    """`fail  store     the disk is full -> free some space`."""
    fix = f" -> {finding.fix}" if finding.fix else ""
    return f"{finding.level:5} {finding.area:9} {finding.text}{fix}"


def examine(session: Session) -> Iterator[Finding]:
    """Every finding, without a secret in it. Raises ConfigError where there is nothing to look at."""
    loaded = session.config()
    redact = Redactor(loaded.settings.secrets.values())
    with closing(session.daemon(loaded)) as daemon:
        for area, check in _checks(loaded, daemon).items():
            for finding in _safely(area, check):
                yield Finding(finding.area, finding.level, redact(finding.text), redact(finding.fix))


def _checks(loaded: Loaded, daemon: Daemon) -> Mapping[str, Callable[[], Iterator[Finding]]]:
    from ..app import read_toolbox
    from .checks import configuration, machine, outside, storage

    settings = loaded.settings
    return {
        "config": lambda: configuration.config(loaded),
        "secrets": lambda: configuration.secrets(loaded),
        "tools": lambda: configuration.tools(read_toolbox(settings)),
        "store": lambda: storage.store(settings),
        "time": lambda: machine.time(daemon.queries if daemon.has_store else None),
        "outbox": lambda: storage.outbox(settings),
        "slack": lambda: outside.slack(settings),
        "model": lambda: outside.models(daemon),
        "database": lambda: outside.databases(loaded.jobs, settings.secrets),
        "ports": lambda: machine.ports(settings, at_work=daemon.doorbell.ring()),
        "packages": machine.packages,
        "systemd": machine.systemd,
    }


def _safely(area: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """One check that cannot be made does not keep the others from being made."""
    try:
        yield from check()
    except (ClockwrightError, OSError) as error:
        yield fail(area, " ".join(str(error).split()), "see docs/operations.md")
