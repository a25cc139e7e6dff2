"""One scrape of the metrics of 200 jobs over a store with a million steps: first, after a look, and between looks.

Run `python -m benchmarks.scrape [JOBS [STEPS]]`; prints a table, writes benchmarks/results/scrape.json. `first` looks
up every job's last runs and next instant, `looked` is a scrape with a look at the store, `kept` one within two seconds
of another; in all three no counter moved. Beside them the text of all counters, where every family has moved.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from daemon.adapters.clock import SystemClock
from daemon.adapters.gauges import FRESH_SECONDS, Gauges
from daemon.adapters.metrics import Metrics
from daemon.adapters.sql.opening import open_database
from daemon.adapters.sql.schema import RUNS, STEPS
from daemon.adapters.sql.signs import SqlSigns
from daemon.adapters.watched import Watched
from daemon.domain.health import Pulse
from daemon.domain.job import Job
from daemon.domain.plan import Step
from daemon.testing.tools import make_job, make_plan

RESULTS = Path(__file__).parent / "results" / "scrape.json"
STEPS_PER_RUN = 5
BATCH = 10_000
BUDGET_MS = 50.0
MICROS_PER_RUN = 60_000_000
REPEATS = 15


class Shifted(SystemClock):
    """The system's clock, and whatever was added to it."""

    ahead = 0.0

    def boot(self) -> float:
        return super().boot() + self.ahead


def jobs(count: int) -> dict[str, Job]:
    made = (make_job(make_plan([Step("a", "look")], job=f"job-{n}"), f"{n % 60} {n % 24} * * *") for n in range(count))
    return {job.id: job for job in made}


def seed(path: Path, names: list[str], steps: int) -> None:
    """Ended runs, spread over the jobs; only the rows that a query can meet."""
    database = open_database(path)
    runs = list(_runs(names, steps // STEPS_PER_RUN))
    for start in range(0, len(runs), BATCH):
        batch = runs[start : start + BATCH]
        rows = [
            {"run": run["id"], "step": f"s{n}", "position": n, "state": "done", "body": "{}"}
            for run in batch
            for n in range(STEPS_PER_RUN)
        ]
        database.write(lambda connection, some=batch: connection.execute(insert(RUNS), some))  # type: ignore[misc]
        database.write(lambda connection, some=rows: connection.execute(insert(STEPS), some))  # type: ignore[misc]
    database.close()


def _runs(names: list[str], count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        at = (number + 1) * MICROS_PER_RUN
        yield {
            "id": f"run-{number}",
            "job": names[number % len(names)],
            "instant": at,
            "revision": 1,
            "data_date": "2026-03-01",
            "plan": "p",
            "cause": "schedule",
            "state": "failed" if number % 7 == 0 else "succeeded",
            "open": 0,
            "reason": "",
            "owner": "",
            "epoch": 1,
            "version": 1,
            "queued_at": at,
            "started_at": at,
            "ended_at": at + 1_000_000,
            "body": "{}",
        }


def all_moved(metrics: Metrics, known: dict[str, Job]) -> float:
    """Where every family has moved since the last scrape, so that all text is written anew."""
    metrics.expect(known.values())
    return timed(metrics.exposition)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of this thread's CPU."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def main(count: int, steps: int) -> dict[str, Any]:
    known = jobs(count)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "state.db"
        seed(path, list(known), steps)
        database, clock = open_database(path), Shifted()
        metrics = Metrics(known.values())
        alone = statistics.median(all_moved(metrics, known) for _ in range(REPEATS))
        pulse = Pulse(1, clock.boot(), leads=True)
        signs = SqlSigns(database)
        watched = Watched(clock, lambda: signs, lambda: known, lambda: pulse, lambda: 0, lambda: 0)
        metrics.look_at(Gauges(watched))
        first, kept, looked = timed(metrics.exposition), [], []
        for _ in range(REPEATS):
            kept.append(timed(metrics.exposition))
            clock.ahead += 2 * FRESH_SECONDS
            looked.append(timed(metrics.exposition))
        size = len(metrics.exposition())
        database.close()
    return {
        "load": round(os.getloadavg()[0], 2),
        "jobs": count,
        "steps": steps,
        "text_kb": round(size / 1024),
        "all_counters_anew_ms": round(alone, 1),
        "first_ms": round(first, 1),
        "looked_ms": round(statistics.median(looked), 1),
        "kept_ms": round(statistics.median(kept), 1),
        "budget_ms": BUDGET_MS,
    }


if __name__ == "__main__":
    figures = main(*map(int, sys.argv[1:3] or (200, 1_000_000)))
    for name, value in figures.items():
        print(f"{name:18} {value}")
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
