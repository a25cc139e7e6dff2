from __future__ import annotations

from pathlib import Path

import pytest

from daemon.cli.application import main
from daemon.cli.exit_codes import ExitCode
from daemon.config import read_settings


def test_init_writes_a_configuration_that_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "config")]) == ExitCode.OK
    assert read_settings(tmp_path / "config").state == tmp_path / "config" / "state"
    assert (tmp_path / "config" / "jobs" / "daily_sales_report.yaml").is_file()
    assert "wrote" in capsys.readouterr().out


def test_init_never_overwrites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clockwright.yaml").write_text("state: mine\n")
    main(["init", str(tmp_path)])
    assert (tmp_path / "clockwright.yaml").read_text() == "state: mine\n"
    assert f"kept   {tmp_path}/clockwright.yaml" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["init", str(tmp_path / "file")]) == ExitCode.UNAVAILABLE
    assert "cannot write" in capsys.readouterr().err
