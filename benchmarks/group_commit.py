"""16 threads through the store against 16 connections that each commit for themselves.

`python -m benchmarks.group_commit [--flush MICROSECONDS]`

With `--flush` every flush takes that much longer (strace holds it back), as on a disk that is slower than this one.
Each of 16 runs has the same number of steps to commit, and what counts is when the last run is done: a run that hogs
the file helps nobody. Beside them, the same code with a store, and so a connection, for each thread: what sharing the
flush is worth. All are interleaved in rounds of one run, because the disk's speed drifts. Prints commits a second and
the ratios, and keeps them in benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.store_commit import outcome
from daemon.adapters.sql import SqlStore, open_store
from daemon.ports import Birth
from tests.builders import a_run

THREADS = 16
STEPS = 100
ROUNDS = 7


def through_the_store(stores: dict[str, SqlStore]) -> float:
    def work(name: str) -> None:
        store = stores[name]
        run = store.load(name)
        for _ in range(STEPS):
            change = outcome(run, run.version)
            store.commit(change)
            run = change.after

    return rate(list(stores), work)


def each_for_itself(path: Path, names: list[str]) -> float:
    """The same rows, prepared beforehand, as plainly as sqlite3 can write them: a limit that has no encoding to do."""
    body, event = "x" * 1050, "x" * 200

    def work(name: str) -> None:
        connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        connection.execute("PRAGMA synchronous = FULL")
        for done in range(1, STEPS + 1):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE runs SET version = ?, body = ? WHERE id = ?", (done, f"{done}{event}", name))
            connection.executemany(_STEP, [(name, step, f"{done}{body}") for step in ("query", "report")])
            connection.executemany(_EVENT, [(name, str(time.perf_counter_ns()), event) for _ in range(3)])
            connection.execute("COMMIT")
        connection.close()

    return rate(names, work)


def tables(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, version INTEGER, body TEXT)")
    connection.execute("CREATE TABLE steps (run TEXT, step TEXT, body TEXT, PRIMARY KEY (run, step))")
    connection.execute("CREATE TABLE events (run TEXT, seq TEXT, body TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID")
    connection.executemany("INSERT INTO runs VALUES (?, 0, '')", [(f"run-{number}",) for number in range(THREADS)])
    connection.commit()
    connection.close()


_STEP = "INSERT INTO steps VALUES (?, ?, ?) ON CONFLICT (run, step) DO UPDATE SET body = excluded.body"
_EVENT = "INSERT INTO events VALUES (?, ?, ?)"


def rate(names: list[str], work: Callable[[str], None]) -> float:
    start = time.perf_counter()
    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(names) * STEPS / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--flush", type=int, default=0, help="microseconds that every flush takes longer")
    parser.add_argument("--held-back", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.flush:
        held_back(chosen.flush)
    else:
        measure(chosen.held_back)


def held_back(microseconds: int) -> None:
    """The same in a process whose flushes strace holds back; nothing else of it is slowed down."""
    trace = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"]
    delay = ["-e", f"inject=fsync,fdatasync:delay_exit={microseconds}"]
    again = [sys.executable, "-m", "benchmarks.group_commit", "--held-back", str(microseconds)]
    subprocess.run([*trace, *delay, *again], check=True)


def measure(held: int) -> None:
    names = [f"run-{number}" for number in range(THREADS)]
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.db"
        tables(raw)
        state = Path(folder) / "state.db"
        store = open_store(state)
        store.create([Birth(a_run(name, revision=number)) for number, name in enumerate(names)])
        shared = dict.fromkeys(names, store)
        own = {name: open_store(state, busy_seconds=60) for name in names}
        print("commits a second     raw connections   own stores   one store   to raw   to own")
        rounds = [one_round(lambda: each_for_itself(raw, names), own, shared) for _ in range(ROUNDS)]
        for each in [store, *own.values()]:
            each.close()
    found = {
        "commits_a_second": {name: median(r[n] for r in rounds) for n, name in enumerate(("raw", "own", "shared"))},
        "ratio_to_raw": median(r[2] / r[0] for r in rounds),
        "ratio_to_own": median(r[2] / r[1] for r in rounds),
        "budget": 8,
        "flush_us_added": held,
    }
    print(json.dumps(found, indent=2))
    name = f"group_commit_{held}us.json" if held else "group_commit.json"
    (Path(__file__).parent / "results" / name).write_text(json.dumps(found, indent=2) + "\n")


def one_round(
    raw: Callable[[], float], own: dict[str, SqlStore], shared: dict[str, SqlStore]
) -> tuple[float, float, float]:
    rates = raw(), through_the_store(own), through_the_store(shared)
    print(f"{rates[0]:36.0f} {rates[1]:12.0f} {rates[2]:11.0f} {rates[2] / rates[0]:8.1f} {rates[2] / rates[1]:8.1f}")
    return rates


if __name__ == "__main__":
    main()
