"""A secret that is planted in the configuration is found nowhere: log, metrics, page, alert, doctor, store, backup."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.system.cli_folder import Folder, wait_for
from tests.system.operations.troubled import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PLANTED = "planted-Va1ue/0815+x"
LEAKS = '''"""Say the secret in every way."""
import base64
from urllib.parse import quote
from atomic_tools import TransientError, ToolContext, ToolInput, ToolOutput, tool

class Input(ToolInput):
    """Nothing."""

class Output(ToolOutput):
    """Never."""
    done: bool

    def summary(self) -> str:
        """Never."""
        return "never"

@tool(effect="none", secrets=("key",))
def leaks(request: Input, context: ToolContext) -> Output:
    """Say the secret in every way."""
    value = context.secrets["key"]
    for told in (value, quote(value, safe=""), base64.b64encode(value.encode()).decode(), f"db://u:{value}@h"):
        print(told)
    raise TransientError(f"cannot log in with {value}", hint=base64.b64encode(value.encode()).decode())
'''
JOB = """
id: leaky
goal: x
schedule: {every: 2s}
steps:
  - {id: a, use: leaks, secrets: {key: planted}, retry: {attempts: 2, first: 100ms}, on_exhausted: fail}
  - {id: b, use: linger, needs_weak: [a], secrets: {}}
"""
FORMS = (PLANTED, base64.b64encode(PLANTED.encode()).decode(), PLANTED.replace("/", "%2F").replace("+", "%2B"))
PAGES = ("/", "/jobs/leaky", "/runs", "/runs/{run}", "/inbox", "/outbox", "/audit", "/tools", "/metrics")
ANSWERS = ("/api/v1/jobs", "/api/v1/runs/{run}", "/api/v1/runs?job=leaky")


def pages(base: str, token: str, run: str) -> list[str]:
    """All of them, as whoever may act sees them."""
    bearer = {"Authorization": f"Bearer {token}"}
    told = []
    for path in PAGES + ANSWERS:
        with urlopen(Request(base + path.format(run=run), headers=bearer)) as answer:
            told.append(answer.read().decode())
    return told


def test_a_planted_secret_is_found_nowhere(tmp_path: Path) -> None:
    folder, port = Folder.make(tmp_path / "config"), free_port()
    (folder.root / "clockwright.yaml").write_text(
        f"tools: [tools]\nsecrets: {{planted: {{file: key}}}}\nhttp: {{port: {port}, open_metrics: true}}\n"
    )
    (folder.root / "key").write_text(PLANTED)
    (folder.root / "tools" / "leaks.py").write_text(LEAKS)
    (folder.root / "jobs" / "leaky.yaml").write_text(JOB)
    said = []
    serving = folder.start("serve")
    try:
        alerts = folder.root / "state" / "outbox" / "alerts"
        wait_for(lambda: alerts.is_dir() and any(alerts.iterdir()))
        run = next(run["id"] for run in folder.json("runs", "list", "--job", "leaky") if run["ended_at"])
        said += pages(f"http://127.0.0.1:{port}", folder.run("web", "token")[1].strip(), run)
        said += ["".join(folder.run(*words)[1:]) for words in (("doctor",), ("backup", str(tmp_path / "kept")))]
        said.append(json.dumps(folder.json("runs", "show", run)))
    finally:
        serving.terminate()
        said += serving.communicate(timeout=60)
    said += [str(path) for path in (tmp_path / "kept").rglob("*")]
    kept = [*(tmp_path / "kept").rglob("*"), *(folder.root / "state").rglob("*")]
    said += [path.read_text(errors="replace") for path in kept if path.is_file()]
    told = os.linesep.join(said)
    assert "leaky" in told
    assert "cannot log in with [redacted]" in told
    assert [form for form in FORMS if form in told] == []
