"""A config folder with tools that can be slow, hang or fail, and the real command over it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOOL = '''"""Take a while."""
import time
from pathlib import Path
from atomic_tools import ToolContext, ToolInput, ToolOutput, tool

class Input(ToolInput):
    """How long, and where to leave a mark."""
    seconds: float = 0.0
    marks: str = ""
    after: str = ""

class Output(ToolOutput):
    """Nothing but an end."""
    done: bool

    def summary(self) -> str:
        """It is done."""
        return "waited"

@tool(effect="none")
def linger(request: Input, context: ToolContext) -> Output:
    """Take a while, and leave a mark at the end."""
    time.sleep(request.seconds)
    if request.marks:
        with Path(request.marks).open("a") as stream:
            stream.write("x")
    return Output(done=True)
'''
JOB = """
id: report
goal: Everyone is told.
timezone: UTC
schedule: {{cron: "{cron}"}}
decide: always
steps:
  - {{id: first, use: linger, with: {{seconds: 0.15, marks: "{marks}/first"}}}}
  - {{id: second, use: linger, with: {{seconds: 0.15, marks: "{marks}/second"}}, needs: [first]}}
  - id: post
    use: slack_send_message
    with: {{channel: "#all", text: Done, outbox: "${{settings.outbox}}"}}
    needs: [second]
"""
HANG = """
id: hang
goal: Never ends.
timezone: UTC
steps:
  - {id: hang, use: linger, with: {seconds: 600}, timeout: 60s}
"""


@dataclass(frozen=True)
class Folder:
    root: Path

    @classmethod
    def make(cls, root: Path, cron: str = "") -> Folder:
        """Without a `cron` the report is due once a day, half a day from now."""
        cron = cron or f"0 {(datetime.now(UTC).hour + 12) % 24} * * *"
        for name in ("jobs", "tools", "marks"):
            (root / name).mkdir(parents=True)
        (root / "clockwright.yaml").write_text("state: state\ntools: [tools]\nhttp: {port: null}\n")
        (root / "tools" / "linger.py").write_text(TOOL)
        (root / "jobs" / "report.yaml").write_text(JOB.format(cron=cron, marks=root / "marks"))
        (root / "jobs" / "hang.yaml").write_text(HANG)
        return cls(root)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "daemon", "--config", str(self.root), *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "120"},
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json")[1])

    def marks(self) -> dict[str, int]:
        """How often each step got to its end."""
        return {path.name: len(path.read_text()) for path in (self.root / "marks").iterdir()}

    def delivered(self) -> int:
        return len(list((self.root / "state" / "outbox").glob("*/receipt.json")))


def wait_for(happened: Callable[[], bool], seconds: float = 60.0) -> None:
    """Until it has happened, looked at every twentieth of a second."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err
