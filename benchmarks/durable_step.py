"""What one durable step costs, engine only: `python -m benchmarks.durable_step`

A run of five no-op steps (1 KB of output each, in-process runner, SQLite) against a hand-written loop that commits the
same five outputs, interleaved round by round. Prints CPU and wall time a step, their ratio, and the flushes of a run
counted with strace (in a process of its own, since strace slows it down). Budget: 1.2 flushes and 1.0 ms of CPU a step.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.adapters.clock import SystemClock
from daemon.adapters.sql import SqlStore, open_store
from daemon.domain.birth import new_run
from daemon.domain.calendar import data_date
from daemon.domain.job import Occurrence
from daemon.domain.model import RunState, Succeeded
from daemon.domain.plan import Decide, Plan, Step
from daemon.ports import Call, Ended, Running
from daemon.runtime.deciders import RuleDecider
from daemon.runtime.driver import Arrival, Driver
from daemon.runtime.outside import Outside
from daemon.runtime.plans import Plans
from daemon.testing.memory_artifacts import MemoryArtifacts
from daemon.testing.recording_sink import RecordingSink
from daemon.testing.tools import make_job, make_plan

STEPS, RUNS, ROUNDS = 5, 40, 7
OUTPUT = {"value": "x" * 1000}
BEGAN = datetime.now(UTC)


class Ready:
    """A call that is over when it starts."""

    def kill(self) -> None:
        """Nothing is left to kill."""


class NoopRunner:
    """Every call succeeds at once, in the caller's thread."""

    def start(self, _: Call, on_end: Callable[[Ended], None]) -> Running:
        on_end(Ended(Succeeded(OUTPUT, "done")))
        return Ready()

    def close(self) -> None:
        """Holds nothing."""


class Silence(RecordingSink):
    """Hears nothing."""

    def emit(self, *_: object) -> None:
        """No observer is part of what is measured."""


def five_steps(decide: Decide) -> Plan:
    inputs = [{}, *({"of": f"${{steps.s{n}.output.value}}"} for n in range(STEPS - 1))]
    needs = [(), *((f"s{n}",) for n in range(STEPS - 1))]
    steps = [Step(f"s{n}", "look", inputs=inputs[n], needs=needs[n]) for n in range(STEPS)]
    return make_plan(steps, decide=decide)


class Engine:
    """The real driver and store."""

    def __init__(self, folder: Path, decide: Decide = Decide.ON_EXCEPTION) -> None:
        self._store: SqlStore = open_store(folder / "engine.db")
        self._plan = five_steps(decide)
        self._outside = Outside(
            owner="bench",
            clock=SystemClock(),
            store=self._store,
            runner=NoopRunner(),
            decider=RuleDecider(),
            artifacts=MemoryArtifacts(),
            sink=Silence(),
            secret=str,
        )
        Plans(self._store).keep(self._plan)
        self._made = 0
        self.run()

    def run(self) -> None:
        self._made += 1
        due = BEGAN + timedelta(seconds=self._made)
        occurrence = Occurrence("report", due, data_date(due, "UTC", "bench"))
        mail: list[Arrival] = []
        run = new_run(make_job(self._plan), occurrence, BEGAN, cause="bench")
        driver = Driver(self._outside, self._plan, run, mail.append)
        driver.advance()
        while driver.busy:
            arrived, mail[:] = list(mail), []
            driver.advance(arrived)
        assert driver.run.state is RunState.SUCCEEDED


class HandLoop:
    """What a careful person would write: one row when the run starts, one a step, one update at its end."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "hand.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, state TEXT)")
        self._connection.execute("CREATE TABLE steps (run INTEGER, step INTEGER, body TEXT)")

    def run(self) -> None:
        execute = self._connection.execute
        run = execute("INSERT INTO runs (state) VALUES ('running')").lastrowid
        for step in range(STEPS):
            execute("INSERT INTO steps VALUES (?, ?, ?)", (run, step, json.dumps(OUTPUT)))
        execute("UPDATE runs SET state = 'done' WHERE id = ?", (run,))


def measured(run: Callable[[], None]) -> tuple[float, float]:
    """CPU and wall milliseconds a step."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(RUNS):
        run()
    scale = 1000 / RUNS / STEPS
    return (time.process_time() - cpu) * scale, (time.perf_counter() - wall) * scale


def flushes_a_step(runs: int = 50) -> float | None:
    """Between two counts of runs, so that setting up does not count."""
    if shutil.which("strace") is None:
        return None
    return (_flushes(2 * runs) - _flushes(runs)) / runs / STEPS


def _flushes(runs: int) -> int:
    with tempfile.NamedTemporaryFile("r") as log:
        trace = ["strace", "-f", "-q", "-e", "trace=fsync,fdatasync", "-o", log.name]
        subprocess.run([*trace, sys.executable, "-m", "benchmarks.durable_step", "--only", str(runs)], check=True)
        return len(re.findall(r"f(?:data)?sync\(", log.read()))


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        contestants = {"hand loop": HandLoop(folder).run, "engine": Engine(folder).run}
        rounds = [{who: measured(run) for who, run in contestants.items()} for _ in range(ROUNDS)]
    cpu = {who: statistics.median(r[who][0] for r in rounds) for who in contestants}
    wall = {who: statistics.median(r[who][1] for r in rounds) for who in contestants}
    ratio = statistics.median(r["engine"][1] / r["hand loop"][1] for r in rounds)
    result = {
        "cpu_ms_a_step": cpu,
        "wall_ms_a_step": wall,
        "wall_ratio": ratio,
        "cpu_ratio": cpu["engine"] / cpu["hand loop"],
        "flushes_a_step": flushes_a_step(),
    }
    print(json.dumps(result, indent=2))
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "durable_step.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    if "--only" in sys.argv:
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as box:
            engine = Engine(Path(box))
            for _ in range(int(sys.argv[-1])):
                engine.run()
    else:
        main()
