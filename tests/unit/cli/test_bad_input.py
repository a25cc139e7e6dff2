"""A user's mistake is one line on stderr and a documented exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.cli.application import main
from daemon.cli.exit_codes import ExitCode
from tests.unit.cli.conftest import Command
from tests.unit.cli.desk import Desk


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runs", "show", "nothing"), "there is no run 'nothing'"),
        (("runs", "cancel", "nothing"), "there is no run 'nothing'"),
        (("runs", "list", "--state", "sucseeded"), "did you mean 'succeeded'?"),
        (("runs", "list", "--limit", "many"), "see 'clockwright runs list --help'"),
        (("escalations", "answer", "nothing", "retry"), "there is no question 'nothing'"),
        (("escalations", "answer", "x", "y", "--change", "rows"), "write FIELD=JSON"),
        (("escalations", "answer", "x", "y", "--change", "rows=three"), "is not JSON"),
        (("rnu",), "no such command 'rnu'"),
        (("run",), "missing argument 'JOB'"),
    ],
)
def test_a_wrong_command_line_is_one_line(clockwright: Command, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = clockwright(*arguments)
    assert (code, out, err.count("\n")) == (ExitCode.USAGE, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("state:\n\tx", "clockwright.yaml:2:1: a tab is used for indentation"),
        ("staet: x", "unknown key 'staet' (did you mean 'state'?)"),
        ("state: 3", "'state' must be text, not a number (3) (quote it)"),
    ],
)
def test_a_fault_in_the_settings_names_its_place(clockwright: Command, desk: Desk, settings: str, message: str) -> None:
    (desk.folder / "clockwright.yaml").write_text(settings)
    code, _, err = clockwright("runs", "list")
    assert (code, err.count("\n")) == (ExitCode.CONFIG, 1)
    assert message in err


def test_a_state_folder_below_a_file_is_said_in_one_line(clockwright: Command, desk: Desk) -> None:
    (desk.folder / "clockwright.yaml").write_text("state: clockwright.yaml/state\n")
    code, _, err = clockwright("runs", "list")
    assert (code, err.count("\n")) == (ExitCode.UNAVAILABLE, 1)
    assert "cannot be made: Not a directory" in err


def test_a_store_that_is_no_database_is_said_in_one_line(clockwright: Command, desk: Desk) -> None:
    (desk.folder.parent / "state").mkdir()
    (desk.folder.parent / "state" / "clockwright.db").write_text("not a database, but long enough to look" * 100)
    code, _, err = clockwright("runs", "list")
    assert (code, err.count("\n")) == (ExitCode.UNAVAILABLE, 1)


def test_without_a_configuration_it_says_how_to_make_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(tmp_path), "validate"]) == ExitCode.CONFIG
    assert "make a configuration with 'clockwright init'" in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.USAGE
    assert "Commands:" in capsys.readouterr().err
