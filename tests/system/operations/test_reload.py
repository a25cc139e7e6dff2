"""A configuration that changes under a real daemon: what it takes in at once, what it refuses, and what stays."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.cli_folder import Folder, stop, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
TELLS = '''"""Say which secret there is."""
from hashlib import sha256
from atomic_tools import ToolContext, ToolInput, ToolOutput, tool

class Input(ToolInput):
    """Nothing."""

class Output(ToolOutput):
    """A digest of the secret."""
    digest: str

    def summary(self) -> str:
        """Its beginning."""
        return self.digest[:8]

@tool(effect="none", secrets=("token",))
def tells(request: Input, context: ToolContext) -> Output:
    """Digest the secret."""
    return Output(digest=sha256(context.secrets["token"].encode()).hexdigest())
'''
JOB = """
id: {name}
goal: It is said which secret there is.
timezone: UTC
schedule: {{cron: "0 0 1 1 *"}}
steps:
  - {{id: tell, use: tells}}
"""


@dataclass
class Town:
    """One daemon, asked by its page."""

    folder: Folder
    port: int
    process: subprocess.Popen[str]
    token: str = ""

    def ask(self, method: str, path: str, **body: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=30, **body)

    def up(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def told(self) -> str:
        """Which secret a new run of the job was lent."""
        run = self.ask("POST", "/api/v1/jobs/first/run", json={"date": f"2026-01-{self.days():02}"}).json()["run"]
        wait_for(lambda: self.ask("GET", f"/api/v1/runs/{run}").json()["state"] == "succeeded")
        [step] = self.ask("GET", f"/api/v1/runs/{run}").json()["steps"]
        return str(step["summary"])

    def days(self) -> int:
        return len(self.ask("GET", "/api/v1/runs?job=first").json()) + 1

    def metric(self, name: str) -> float:
        lines = self.ask("GET", "/metrics").text.splitlines()
        return float(next(line for line in lines if line.startswith(f"clockwright_{name} ")).split()[1])

    def settings(self, secret: str) -> None:
        (self.folder.root / "clockwright.yaml").write_text(
            f"state: state\ntools: [tools]\nhttp: {{port: {self.port}}}\nsecrets: {{token: {{file: {secret}}}}}\n"
        )

    def alerts(self) -> dict[str, dict[str, Any]]:
        files = (self.folder.root / "state" / "outbox" / "alerts").glob("*.json")
        return {alert["topic"]: alert for alert in (json.loads(path.read_text()) for path in files)}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    folder = Folder(tmp_path / "config")
    for name in ("jobs", "tools"):
        (folder.root / name).mkdir(parents=True)
    (folder.root / "tools" / "tells.py").write_text(TELLS)
    for name in ("first", "second"):
        (folder.root / "jobs" / f"{name}.yaml").write_text(JOB.format(name=name))
    (folder.root / "one").write_text("secret-one")
    (folder.root / "two").write_text("secret-two")
    town = Town(folder, port, None)  # type: ignore[arg-type]  # it needs its settings first
    town.settings("one")
    town.process = folder.start("serve")
    try:
        wait_for(town.up)
        town.token = folder.run("web", "token")[1].strip()
        yield town
    finally:
        code, _, err = stop(town.process)
        assert code == 0, err


def digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()[:8]


def test_a_reload_takes_in_what_is_good_refuses_what_is_not_and_forgets_nothing(town: Town) -> None:
    root = town.folder.root
    assert town.told() == digest("secret-one")
    (root / "one").write_text("secret-one, rotated")
    assert town.told() == digest("secret-one, rotated"), "a file with a new value needs no reload"
    town.settings("two")
    assert town.folder.run("reload")[0] == 0
    wait_for(lambda: town.told() == digest("secret-two"))
    _a_bad_file(town)
    _a_removed_job(town)


def _a_bad_file(town: Town) -> None:
    file = town.folder.root / "jobs" / "first.yaml"
    good = file.read_text()
    file.write_text(good.replace("use: tells", "use: telles"))
    town.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "config_fault" in town.alerts())
    alert = town.alerts()["config_fault"]
    assert (alert["state"], "jobs/first.yaml:7:" in alert["cause"], "tells" in alert["cause"]) == ("open", True, True)
    assert town.told() == digest("secret-two"), "the last good version goes on"
    (town.folder.root / "clockwright.yaml").write_text("state: [")
    town.process.send_signal(signal.SIGHUP)
    wait_for(lambda: town.metric("config_reload_successful") == 0)
    assert town.alerts()["reload_refused"]["state"] == "open"
    assert town.told() == digest("secret-two")
    file.write_text(good)
    town.settings("two")
    town.process.send_signal(signal.SIGHUP)
    wait_for(lambda: {alert["state"] for alert in town.alerts().values()} == {"recovered"})


def _a_removed_job(town: Town) -> None:
    before = town.days()
    (town.folder.root / "jobs" / "first.yaml").unlink()
    assert town.folder.run("reload")[0] == 0
    wait_for(lambda: town.ask("GET", "/api/v1/jobs/first").status_code == 404)
    assert town.days() == before
    assert {run["job"] for run in town.folder.json("runs", "list", "--job", "first")} == {"first"}
    assert town.folder.run("account", "first")[0] == 0
    assert town.ask("POST", "/api/v1/jobs/first/run").status_code == 404
    assert town.metric("config_jobs") == 1
