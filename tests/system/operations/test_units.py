"""The shipped units, by systemd's own verifier and by its measure of exposure. Booted in earnest: boot/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli.systemd import Unit, units_for
from tests.real import program

LEAST_EXPOSED = 15
"""Ten times the exposure that is allowed."""


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """As installed, with an executable that exists everywhere."""
    found = [unit for unit in units_for(Path(sys.executable), tmp_path / "config") if unit.target.suffix == ".service"]
    return [_copy(unit, tmp_path) for unit in found]


def _copy(unit: Unit, folder: Path) -> Path:
    path = folder / unit.target.name
    path.write_text(unit.text)
    return path


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program(command[0]), *command[1:]], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_verifier_has_nothing_to_say(units: list[Path]) -> None:
    for unit in units:
        done = run("systemd-analyze", "--man=no", "--recursive-errors=yes", "verify", str(unit))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_service_is_exposed_little(units: list[Path]) -> None:
    service = next(unit for unit in units if unit.name == "clockwright.service")
    done = run(
        "systemd-analyze", "security", "--offline=true", f"--threshold={LEAST_EXPOSED}", "--no-pager", str(service)
    )
    assert done.returncode == 0, done.stdout


def test_the_units_name_this_installation_and_configuration(tmp_path: Path) -> None:
    texts = {unit.target.name: unit.text for unit in units_for(Path("/srv/cw/clockwright"), tmp_path)}
    assert f"ExecStart=/srv/cw/clockwright --config {tmp_path} serve" in texts["clockwright.service"]
    assert "/opt/" not in texts["clockwright.service"]
    assert f"ExecStart=-{tmp_path}/on-failure %i" in texts["clockwright-failed@.service"]
    assert "u clockwright" in texts["clockwright.conf"]
