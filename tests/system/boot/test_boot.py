"""The shipped units on a machine that really boots. `make boot` insists; elsewhere it runs where it can."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.systemd import units_for
from tests.system.boot.machine import CannotBoot, Machine, booted
from tests.system.cli_folder import TOOL

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("boot")]

ROOT = Path(__file__).parents[3]
PYTHON = Path("/usr/bin/python3")
"""One that the service's account can read; the packages are those of this environment."""
COMMAND = Path("/opt/clockwright/bin/clockwright")
STATE = "/var/lib/clockwright"
JOB = """
id: report
goal: Everyone is told.
timezone: UTC
steps:
  - {id: first, use: linger, with: {seconds: 2}}
  - {id: second, use: linger, with: {seconds: 2}, needs: [first]}
  - id: post
    use: slack_send_message
    with: {channel: "#all", text: Done, outbox: "${settings.outbox}"}
    needs: [second]
"""
DROP_IN = """
[Service]
Environment=PYTHONPATH={path}
WatchdogSec=12
TimeoutAbortSec=3
RestartSec=1
LoadCredential=token:/etc/clockwright/token
"""


def furnish(root: Path) -> None:
    """Install it: command, configuration, units."""
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    _write(root / COMMAND.relative_to("/"), f"#!{PYTHON}\nfrom daemon.__main__ import main\nmain()\n", 0o755)
    config = root / "etc/clockwright"
    _write(config / "clockwright.yaml", "tools: [tools]\nsecrets: {token: {credential: token}}\n")
    _write(config / "token", "planted-credential-value", 0o600)
    _write(config / "tools/linger.py", TOOL)
    _write(config / "jobs/report.yaml", JOB)
    for unit in units_for(COMMAND, Path("/etc/clockwright")):
        _write(root / unit.target.relative_to("/"), unit.text)
    drop_in = root / "etc/systemd/system/clockwright.service.d/here.conf"
    _write(drop_in, DROP_IN.format(path=f"{ROOT}:{packages}"))


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    path.write_text(text)
    path.chmod(mode)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if os.environ.get("CLOCKWRIGHT_BOOT") != "1":
        pytest.skip(
            "a machine is booted by `make boot` alone: not every place can, nor lies where a booted one sees it"
        )
    try:
        with booted(furnish) as made:
            yield made
    except CannotBoot as error:
        pytest.fail(str(error))


@pytest.fixture
def served(machine: Machine) -> Machine:
    code, said = machine.run("systemctl", "start", "clockwright")
    assert code == 0, f"{said}\n{machine.journal()}"
    return machine


def command(machine: Machine, *arguments: str) -> tuple[int, str]:
    """As the service's account, over the service's state."""
    path = machine.show("Environment").split("PYTHONPATH=")[1].split()[0]
    environment = (f"CLOCKWRIGHT_STATE={STATE}", f"PYTHONPATH={path}")
    who = ("runuser", "-u", "clockwright", "--", "env", *environment)
    return machine.run(*who, str(COMMAND), "--config", "/etc/clockwright", *arguments, within=120)


def delivered(machine: Machine) -> int:
    return len(list((machine.root / STATE[1:] / "outbox").glob("*/receipt.json")))


def main_process(machine: Machine) -> str:
    return machine.show("MainPID")


def restarts(machine: Machine) -> int:
    return int(machine.show("NRestarts"))


def test_start_returns_when_it_is_ready_and_status_says_how_it_stands(served: Machine) -> None:
    assert (served.show("ActiveState"), served.show("SubState")) == ("active", "running")
    assert served.show("StatusText").startswith("1 job")
    assert '"topic": "serving"' in served.journal()
    owner = served.run("stat", "-c", "%U %a", STATE)[1]
    assert owner == "clockwright 700"


def test_a_loop_that_stands_still_is_killed_by_the_watchdog_and_begun_anew(served: Machine) -> None:
    before, first = restarts(served), main_process(served)
    served.run("kill", "-STOP", first)
    served.until(lambda: restarts(served) == before + 1 and served.show("ActiveState") == "active", "a restart")
    assert "watchdog" in served.journal().lower()
    assert main_process(served) != first


def test_a_report_whose_daemon_was_killed_arrives_once(served: Machine) -> None:
    before, result = delivered(served), [(-1, "")]
    follower = threading.Thread(target=lambda: result.append(command(served, "run", "report")))
    follower.start()
    served.until(lambda: "first" in served.journal() and "done: waited" in served.journal(), "the first step")
    served.run("kill", "-KILL", main_process(served))
    follower.join(120)
    assert result[-1][0] == 0, result[-1][1]
    served.until(lambda: served.show("ActiveState") == "active", "a restart")
    assert delivered(served) == before + 1


def test_a_good_reload_counts_and_a_bad_one_does_not_stop_anything(served: Machine) -> None:
    job, first = served.root / "etc/clockwright/jobs/report.yaml", main_process(served)
    other = served.root / "etc/clockwright/jobs/other.yaml"
    other.write_text(JOB.replace("id: report", "id: other"))
    assert served.run("systemctl", "reload", "clockwright")[0] == 0
    served.until(lambda: "2 jobs" in served.show("StatusText"), "the reload")
    settings = served.root / "etc/clockwright/clockwright.yaml"
    good = settings.read_text()
    settings.write_text("state: [")
    assert served.run("systemctl", "reload", "clockwright")[0] == 0
    served.until(lambda: "reload_refused" in served.journal(), "the refusal")
    served.until(lambda: served.show("ActiveState") == "active", "the end of the reload")
    settings.write_text(good)
    assert (main_process(served), job.exists()) == (first, True)


def test_a_stop_lets_the_step_in_flight_end(served: Machine) -> None:
    code, said = command(served, "runs", "list", "--json")
    assert (code, "planted-credential-value" in said) == (0, False)
    before = served.journal().count("done: waited")
    result = [(-1, "")]
    follower = threading.Thread(target=lambda: result.append(command(served, "run", "report", "--dry-run")))
    follower.start()
    begun = served.journal().count("attempt 1")
    served.until(lambda: served.journal().count("attempt 1") > begun, "the next attempt")
    assert served.run("systemctl", "stop", "clockwright")[0] == 0
    assert served.show("Result") == "success"
    assert served.journal().count("done: waited") > before
    assert served.run("pgrep", "-u", "clockwright", "-f", "serve")[1] == ""
    follower.join(120)
    assert result[-1][0] == 0, "the command that followed the run carries it to its end"


def test_a_wrong_configuration_is_not_tried_again_and_somebody_is_told(machine: Machine) -> None:
    machine.run("systemctl", "stop", "clockwright")
    settings = machine.root / "etc/clockwright/clockwright.yaml"
    good = settings.read_text()
    settings.write_text("state: [")
    assert machine.run("systemctl", "start", "clockwright")[0] != 0
    machine.until(lambda: machine.show("ActiveState") == "failed", "the end")
    assert (machine.show("ExecMainStatus"), "Traceback" in machine.journal()) == ("78", False)
    settings.write_text(good)
    machine.until(lambda: "has given up" in machine.run("journalctl", "-t", "clockwright", "-o", "cat")[1], "the alert")
    machine.run("systemctl", "reset-failed")
