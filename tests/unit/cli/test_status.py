"""How everything stands, in a few lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from daemon.cli.application import main
from tests.unit.cli.desk import Desk


def clockwright(desk: Desk, *words: str) -> int:
    return main(["--config", str(desk.folder), *words])


def test_who_paused_everything_is_said_first(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert clockwright(desk, "status") == 0
    assert capsys.readouterr().out == "no daemon is at work here\n0 jobs\n"
    until = datetime.now(UTC) + timedelta(days=2)
    clockwright(desk, "jobs", "pause", "--all", "--why", "moving", "--by", "ada", "--until", f"{until:%Y-%m-%dT10:00Z}")
    capsys.readouterr()
    assert clockwright(desk, "status") == 0
    assert f"everything was paused by ada: moving, until {until:%a %Y-%m-%d} 10:00 UTC" in capsys.readouterr().out


def test_programs_get_one_document(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    clockwright(desk, "jobs", "pause", "--all", "--by", "ada")
    capsys.readouterr()
    assert clockwright(desk, "status", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["at_work"], told["everything_paused"], told["overdue"]) == (False, True, [])
    assert [(pause["job"], pause["by"]) for pause in told["pauses"]] == [("*", "ada")]
