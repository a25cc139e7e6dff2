"""The page over a long history: 200 jobs, 200,000 runs, 1,000,000 steps in SQLite.

Run `python -m benchmarks.web_pages [RUNS_PER_JOB]`; prints a table, writes benchmarks/results/web_pages.json. Each
figure is the median of twenty requests over loopback to the real server, in milliseconds. The budgets are for a quiet
machine; the load stands beside them.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from daemon.adapters.metrics import Metrics
from daemon.adapters.sql import SqlQueries, open_store
from daemon.adapters.sql.rows import run_row, step_rows
from daemon.domain.birth import new_run
from daemon.domain.calendar import occurrence
from daemon.domain.job import Job
from daemon.domain.model import RunState, StepRun, StepState
from daemon.ports import Birth
from daemon.web.application import build
from daemon.web.server import Server
from tests.house import COMPANY, NOW, OPERATOR, House

RESULTS = Path(__file__).parent / "results" / "web_pages.json"
JOBS, REPEATS = 200, 20
NAMES = [f"step_{number}" for number in range(5)]
HOUR = timedelta(hours=1)
ENDS = [RunState.SUCCEEDED] * 17 + [RunState.DEGRADED, RunState.FAILED, RunState.CANCELLED]


def furnish(house: House) -> None:
    """200 jobs, each with a few runs that came through the store's own door."""
    dice = random.Random(1)
    for number in range(JOBS):
        sketch = COMPANY[number % len(COMPANY)]
        house.add(replace(sketch, id=f"job_{number:03}", last=RunState.SUCCEEDED), dice, 5)


def seed(path: Path, jobs: list[Job], runs: int) -> None:
    """The older history of every job, written straight into the tables: through the store it would take hours."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for job in jobs:
            heads, steps = zip(*history(job, runs), strict=True)
            insert(connection, "runs", list(heads))
            insert(connection, "steps", [row for rows in steps for row in rows])
            connection.commit()


def history(job: Job, runs: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    dice = random.Random(job.id)
    for number in range(runs):
        yield past_run(job, NOW - timedelta(days=400) + number * HOUR * 9, dice)


def past_run(job: Job, at: datetime, dice: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    done = {name: StepRun(name, StepState.DONE, summary="1,204 orders of one day", started_at=at) for name in NAMES}
    born = new_run(job, occurrence(job, at, "2026a"), at, cause="schedule")
    run = replace(born, state=dice.choice(ENDS), started_at=at, ended_at=at + timedelta(seconds=9), steps=done)
    head = dict(run_row(Birth(run), "owner"))
    head.pop("run")
    return head, [dict(row) for row in step_rows(run, {})]


def insert(connection: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    marks = ", ".join(f":{name}" for name in names)
    connection.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)


def measured(client: httpx.Client, path: str) -> dict[str, float]:
    client.get(path).raise_for_status()
    took = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        size = len(client.get(path).raise_for_status().content)
        took.append(1000 * (time.perf_counter() - began))
    return {"ms": round(statistics.median(took), 1), "worst_ms": round(max(took), 1), "kb": round(size / 1024, 1)}


def main(runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "state.db"
        store = open_store(path)
        house = House(Path(scratch), store, SqlQueries(store.database))
        furnish(house)
        seed(path, list(house.jobs.values()), runs)
        metrics = Metrics(house.jobs.values())
        server = Server(build(replace(house.site, exposition=metrics.exposition)), "127.0.0.1", 0)
        base = f"http://127.0.0.1:{server.start()}"
        newest = house.asks.runs(limit=1)[0]
        with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {OPERATOR}"}) as client:
            figures = {
                "load": round(os.getloadavg()[0], 2),
                "jobs": JOBS,
                "runs": JOBS * runs,
                "steps": JOBS * runs * len(NAMES),
                "metrics": measured(client, "/metrics") | {"budget_ms": 50},
                "overview": measured(client, "/") | {"budget_ms": 100},
                "api_jobs": measured(client, "/api/v1/jobs"),
                "one_job": measured(client, f"/jobs/{newest.job}"),
                "runs_list": measured(client, "/runs"),
                "runs_of_a_job": measured(client, f"/runs?job={newest.job}"),
                "one_run": measured(client, f"/runs/{newest.id}"),
                "inbox": measured(client, "/inbox"),
            }
        server.stop()
        store.close()
    return figures


if __name__ == "__main__":
    results = main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    for name, value in results.items():
        print(f"{name:14} {value}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
