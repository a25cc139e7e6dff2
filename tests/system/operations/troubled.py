"""A real daemon to which one of each trouble happens within seconds, and a real Prometheus that scrapes it."""

from __future__ import annotations

import itertools
import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from daemon.testing.scripted_endpoint import Script, ScriptedEndpoint, completion, decision
from tests.real import program
from tests.system.cli_folder import TOOL, Folder, wait_for

BREAKS = '''"""Fail for good."""
from atomic_tools import DeniedError, ToolContext, ToolInput, ToolOutput, tool

class Input(ToolInput):
    """Nothing."""

class Output(ToolOutput):
    """Never."""
    done: bool

    def summary(self) -> str:
        """Never."""
        return "never"

@tool(effect="none")
def breaks(request: Input, context: ToolContext) -> Output:
    """Fail for good."""
    raise DeniedError("no rights", hint="ask for them")
'''
STALLS = '''"""A delivery that takes its time."""
import time
from atomic_tools import CannotTell, Reconciled, ToolContext, ToolInput, ToolOutput, tool

class Input(ToolInput):
    """Where to."""
    to: str

class Output(ToolOutput):
    """It arrived."""
    done: bool

    def summary(self) -> str:
        """It arrived."""
        return "arrived"

def ask(request: Input, context: ToolContext) -> Reconciled:
    """The receiver does not know."""
    return CannotTell("away")

@tool(effect="external", reconcile=ask, destination=("to",))
def stalls(request: Input, context: ToolContext) -> Output:
    """A delivery that takes its time."""
    time.sleep(60)
    return Output(done=True)
'''
FAILS = "use: breaks, on_exhausted: fail"
JOBS = {
    "good": "steps: [{id: a, use: linger}]",
    "failed": f"steps: [{{id: a, {FAILS}}}]",
    "degraded": "steps: [{id: a, use: breaks, on_exhausted: skip}, {id: b, use: linger, needs_weak: [a]}]",
    "killed": "steps: [{id: a, use: linger, with: {seconds: 60}, timeout: 1s, "
    "retry: {attempts: 2, first: 100ms}, on_exhausted: fail}]",
    "asks": "steps: [{id: a, use: breaks}]",
    "stuck": "steps: [{id: a, use: stalls, with: {to: somebody}, timeout: 60s}]",
    "broken": "steps: [{id: a, use: crooked}]",
    "modelled": "decide: always\nmodel: {model: m, base_url: '%(model)s', prices: {input: 1, output: 2}}\n"
    "steps: [{id: a, use: linger}]",
    "unheard": "decide: always\nmodel: {model: m, base_url: 'http://127.0.0.1:1/v1', timeout: 2s}\n"
    "steps: [{id: a, use: linger}]",
}
SCHEDULE = "schedule: {every: 4s, finish_within: 2s, overlap: %s}"
AGAIN = frozenset({"asks"})
"""Jobs that start although an earlier run of theirs still waits."""


@dataclass(frozen=True)
class Prometheus:
    url: str

    def query(self, expression: str) -> list[Any]:
        with closing(urlopen(f"{self.url}/api/v1/query?{urlencode({'query': expression})}")) as answer:
            return list(json.load(answer)["data"]["result"])

    def ready(self) -> bool:
        return bool(self.query('clockwright_ready{job="clockwright"} == 1'))

    def answers(self) -> bool:
        try:
            return bool(self.query("vector(1)"))
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def troubled(folder: Path) -> Iterator[tuple[Prometheus, str]]:
    """The Prometheus, and the address of the daemon's metrics."""
    port = free_port()
    with ExitStack() as stack:
        endpoint = stack.enter_context(ScriptedEndpoint(_muttering()))
        root = _configuration(folder / "config", endpoint.url, port)
        server = stack.enter_context(_prometheus(folder, port))
        wait_for(server.answers, 60)  # what happened before the first scrape is no increase
        stack.enter_context(_running(Folder(root).start("serve", "--drain", "0")))
        wait_for(server.ready, 60)
        yield server, f"http://127.0.0.1:{port}/metrics"


def _muttering() -> Script:
    """A model of whose three answers two are none."""
    count = itertools.count()
    return lambda _: decision("A", "linger") if next(count) % 3 == 2 else completion("Well.")


def _configuration(root: Path, model: str, port: int) -> Path:
    for name in ("jobs", "tools"):
        (root / name).mkdir(parents=True)
    (root / "clockwright.yaml").write_text(f"tools: [tools]\nhttp: {{port: null}}\nmetrics: {{port: {port}}}\n")
    for name, text in {"linger": TOOL, "breaks": BREAKS, "stalls": STALLS, "crooked": "x = ("}.items():
        (root / "tools" / f"{name}.py").write_text(text)
    for name, text in JOBS.items():
        steps = text % {"model": model} if "%(" in text else text
        schedule = SCHEDULE % ("allow" if name in AGAIN else "skip")
        (root / "jobs" / f"{name}.yaml").write_text(f"id: {name}\ngoal: x\n{schedule}\n{steps}\n")
    return root


@contextmanager
def _running(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """What it writes is thrown away at the end; it is little."""
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


@contextmanager
def _prometheus(folder: Path, target: int) -> Iterator[Prometheus]:
    port = free_port()
    rules = Path(__file__).parents[3] / "config" / "prometheus" / "clockwright.rules.yml"
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
        f"rule_files: ['{rules}']\n"
        f"scrape_configs: [{{job_name: clockwright, static_configs: [{{targets: ['127.0.0.1:{target}']}}]}}]\n"
    )
    options = (f"--storage.tsdb.path={folder}/tsdb", f"--web.listen-address=127.0.0.1:{port}", "--log.level=error")
    command = [program("prometheus"), f"--config.file={folder}/prometheus.yml", *options]
    with _running(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)):
        yield Prometheus(f"http://127.0.0.1:{port}")
