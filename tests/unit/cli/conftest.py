from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.application import main
from tests.unit.cli.desk import SETTINGS, Desk

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "config"
    (folder / "jobs").mkdir(parents=True)
    (folder / "clockwright.yaml").write_text(SETTINGS)
    return Desk(folder)


@pytest.fixture
def clockwright(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs one command on the desk's configuration: exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["--config", str(desk.folder), *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run
