"""What one typical commit costs: the head, two step rows of 1 KB and three events. `python -m benchmarks.store_commit`

Prints CPU and wall time of a commit, the same for a bare sqlite3 commit in the same run, flushes a commit (counted
with strace, which slows the rest down, so in a run of its own) and bytes a commit.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from daemon.adapters.sql import SqlStore, open_store
from daemon.domain.events import AttemptEnded, AttemptStarted, Decided
from daemon.domain.model import Decision, Letter, Run, StepState, Succeeded
from daemon.ports import Birth, Change
from tests.builders import a_change, a_run, after, an_attempt

COMMITS = 1000
OUTPUT = {"rows": "x" * 1000}


def outcome(run: Run, number: int) -> Change:
    """One step comes out, is decided on, and the next one starts."""
    attempt = an_attempt(number)
    query = replace(run.steps["query"], state=StepState.DONE, output={**OUTPUT, "number": number})
    report = replace(run.steps["report"], state=StepState.RUNNING, attempt=attempt, started=number)
    decided = Decision(Letter.A, "report", "the outcome holds", "rule", Letter.A)
    return a_change(
        run,
        AttemptEnded(after(number), "query", number, Succeeded(query.output, "1 row")),
        Decided(after(number), "query", decided),
        AttemptStarted(after(number), "report", attempt),
        steps={**run.steps, "query": query, "report": report},
    )


def commits(store: SqlStore, count: int) -> None:
    store.create([Birth(a_run())])
    run = store.claim("run-1", "me")
    for number in range(1, count + 1):
        change = outcome(run, number)
        store.commit(change)
        run = change.after


def bare(path: Path, count: int) -> None:
    """The limit: one row of 1 KB a commit."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")
    for number in range(count):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows VALUES (?, ?)", (number, "x" * 1000))
        connection.execute("COMMIT")
    connection.close()


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """CPU and wall milliseconds a commit."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return (time.process_time() - cpu) / COMMITS * 1e3, (time.perf_counter() - wall) / COMMITS * 1e3


def flushes(count: int) -> str:
    """Flushes a commit, from the difference of two runs so that opening and closing cancel out."""
    if shutil.which("strace") is None:
        return "not counted: there is no strace"
    few, many = (_flushes(number) for number in (10, 10 + count))
    return f"{(many - few) / count:.3f}"


def _flushes(count: int) -> int:
    command = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", sys.executable, "-m", "benchmarks.store_commit"]
    done = subprocess.run([*command, str(count)], capture_output=True, text=True, check=True)
    rows = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*\bf(?:data)?sync$", done.stderr, re.MULTILINE)
    return sum(map(int, rows))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "state.db")
        if len(sys.argv) > 1:
            commits(store, int(sys.argv[1]))
            store.close()
            return
        limit = timed(lambda: bare(Path(folder) / "bare.db", COMMITS))
        ours = timed(lambda: commits(store, COMMITS))
        store.close()
    print(f"bare sqlite3 commit of one row   {limit[0]:.3f} ms CPU  {limit[1]:.3f} ms")
    print(f"commit of a step's outcome       {ours[0]:.3f} ms CPU  {ours[1]:.3f} ms  ratio {ours[1] / limit[1]:.2f}")
    print(f"flushes a commit                 {flushes(200)}")


if __name__ == "__main__":
    main()
