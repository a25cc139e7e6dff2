"""docs/cli.md names every command and every exit code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from daemon.cli.application import APP
from daemon.cli.exit_codes import ExitCode

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def commands(app: typer.Typer, before: str = "") -> Iterator[str]:
    for command in app.registered_commands:
        assert command.callback is not None
        yield f"{before}{command.name or command.callback.__name__}"
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, f"{group.name} ")


@pytest.mark.parametrize("command", list(commands(APP)))
def test_every_command_is_documented(command: str) -> None:
    assert f"| `{command}" in PAGE


@pytest.mark.parametrize("code", list(ExitCode))
def test_every_exit_code_is_documented(code: ExitCode) -> None:
    assert f"| {code.value} | {code.name.lower()} |" in PAGE
