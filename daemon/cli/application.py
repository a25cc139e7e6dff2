"""The Typer application: global options, and every group of commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from ..domain.errors import ClockwrightError
from ..version import __version__
from . import (
    accounts,
    backfill,
    backup,
    dashboards,
    demo,
    demo_llm,
    doctor,
    escalations,
    init,
    jobs,
    page,
    prompts,
    reloading,
    run,
    runs,
    serve,
    simulate,
    slack,
    status,
    systemd,
    tools,
    trouble,
    validate,
)
from .exit_codes import ExitCode
from .remote import Remote
from .session import Session, default_folder

APP = typer.Typer(
    name="clockwright",
    help="Runs recurring automations: each once, on time, or with a person told why not.",
    epilog="Exit codes: " + ", ".join(f"{code.value} {code.name.lower()}" for code in ExitCode),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clockwright {__version__}")
        raise typer.Exit


@APP.callback()
def options(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            envvar="CLOCKWRIGHT_CONFIG",
            metavar="FOLDER",
            help="Folder of clockwright.yaml and jobs/. Without it: ./config, else ~/.config/clockwright, "
            "else /etc/clockwright.",
        ),
    ] = None,
    environment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which of the configured environments counts.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            envvar="CLOCKWRIGHT_URL",
            metavar="URL",
            help="Read from the status page there, with the token in CLOCKWRIGHT_TOKEN; for the reading commands.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 - Typer acts on it before this is called
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Session(config or default_folder(), environment, Remote(url) if url else None)


GROUPS = (
    init,
    demo,
    demo_llm,
    validate,
    run,
    backfill,
    serve,
    simulate,
    reloading,
    status,
    jobs,
    runs,
    accounts,
    escalations,
    slack,
    tools,
    prompts,
    dashboards,
    systemd,
    backup,
    doctor,
    page,
)
for group in GROUPS:
    group.register(APP)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. What a person can mend comes as one line each on stderr."""
    try:
        result = APP(args=argv, prog_name="clockwright", standalone_mode=False)
    except trouble.UsageError as error:
        return _usage(error)
    except ClockwrightError as error:
        for line in trouble.lines(error):
            _complain(line)
        return trouble.exit_code(error)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    return int(result or 0)


def _usage(error: Exception) -> int:
    shown = cast("trouble.Shown", error)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(shown.format_message(), err=True)
    else:
        _complain(trouble.usage_line(shown))
    return ExitCode.USAGE


def _complain(line: str) -> None:
    print(f"clockwright: {line}", file=sys.stderr)
