"""Clockwright itself: the engine for the cost, and its own command line, sandbox and store for the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.peer_programs.work import TIMEOUT, measured, said, task

HERE = Path(__file__).parent
JOB = {"id": "report", "goal": "It is posted once", "timezone": "UTC"}


def main() -> None:
    asked = task()
    if asked.what == "cost":
        from benchmarks.durable_step import Engine

        measured(Engine(asked.folder).run, asked.runs)
        return
    if asked.what == "hang":
        step = {"id": "wait", "use": "waits", "with": {"url": asked.url}, "timeout": f"{TIMEOUT:.0f}s"}
        steps = [{**step, "retry": {"attempts": 1}, "on_exhausted": "fail"}]
    else:
        inputs = {"url": f"{asked.url}/post", "status_url": f"{asked.url}/post/{{key}}", "body": {}}
        steps = [{"id": "send", "use": "http_post", "with": inputs, "timeout": "10s"}]
    (asked.folder / "jobs").mkdir(exist_ok=True)
    (asked.folder / "clockwright.yaml").write_text(f"tools: [{json.dumps(str(HERE / 'tools'))}]\n")
    (asked.folder / "jobs/report.yaml").write_text(json.dumps({**JOB, "steps": steps}))
    command = [sys.executable, "-m", "daemon", "--config", str(asked.folder), "run", "report"]
    if asked.what == "again":
        said(ended=subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0)
    else:
        os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
