"""16 threads through the store against 16 connections that each commit for themselves.

`python -m benchmarks.group_commit`

Beside them, the same code with a store, and so a connection, for each thread: what sharing the flush is worth. All are
interleaved in rounds of one run, because the disk's speed drifts. Prints commits a second and the ratios.
"""

from __future__ import annotations

import sqlite3
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
SECONDS = 2.0
ROUNDS = 5


def through_the_store(stores: dict[str, SqlStore]) -> float:
    def work(name: str, until: float) -> int:
        store = stores[name]
        run, done = store.load(name), 0
        while time.perf_counter() < until:
            change = outcome(run, run.version)
            store.commit(change)
            run, done = change.after, done + 1
        return done

    return rate(list(stores), work)


def each_for_itself(path: Path, names: list[str]) -> float:
    """The same rows, prepared beforehand, as plainly as sqlite3 can write them: a limit that has no encoding to do."""
    body, event = "x" * 1050, "x" * 200

    def work(name: str, until: float) -> int:
        connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        connection.execute("PRAGMA synchronous = FULL")
        done = 0
        while time.perf_counter() < until:
            done += 1
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE runs SET version = ?, body = ? WHERE id = ?", (done, f"{done}{event}", name))
            connection.executemany(_STEP, [(name, step, f"{done}{body}") for step in ("query", "report")])
            connection.executemany(_EVENT, [(name, str(time.perf_counter_ns()), event) for _ in range(3)])
            connection.execute("COMMIT")
        connection.close()
        return done

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


def rate(names: list[str], work: Callable[[str, float], int]) -> float:
    done: list[int] = []
    start = time.perf_counter()
    threads = [threading.Thread(target=lambda name: done.append(work(name, start + SECONDS)), args=(n,)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - start)


def main() -> None:
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
    print(f"median ratio to raw connections {median(r[2] / r[0] for r in rounds):.1f} (budget: at least 8)")
    print(f"median ratio to the same code, unshared {median(r[2] / r[1] for r in rounds):.1f}")


def one_round(
    raw: Callable[[], float], own: dict[str, SqlStore], shared: dict[str, SqlStore]
) -> tuple[float, float, float]:
    rates = raw(), through_the_store(own), through_the_store(shared)
    print(f"{rates[0]:36.0f} {rates[1]:12.0f} {rates[2]:11.0f} {rates[2] / rates[0]:8.1f} {rates[2] / rates[1]:8.1f}")
    return rates


if __name__ == "__main__":
    main()
