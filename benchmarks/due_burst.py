"""A thousand jobs due in one second, and ten thousand that only wait. `python -m benchmarks.due_burst [ROUNDS]`

The real loop, alarm clock, scheduler and lookout over a real SQLite file with full sync. Prints from due to durable
ledger row (median, p99, worst) beside a bare flush on the same disk, and CPU and memory of jobs that are idle.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.adapters.alarm import Alarm
from daemon.adapters.clock import SystemClock
from daemon.adapters.sql.alert_book import SqlAlertBook
from daemon.adapters.sql.opening import open_database
from daemon.adapters.sql.queries import SqlQueries
from daemon.adapters.sql.signs import SqlSigns
from daemon.adapters.sql.store import SqlStore
from daemon.adapters.zone_data import zone_data_version
from daemon.domain.job import Job, LedgerRow
from daemon.domain.model import Run
from daemon.domain.plan import Plan, Step
from daemon.domain.schedule import Schedule
from daemon.ports import Birth
from daemon.runtime.duty import Service
from daemon.runtime.lookout import Lookout, Sources
from daemon.runtime.loop import Loop
from daemon.runtime.outside import Outside
from daemon.runtime.plans import Plans
from daemon.runtime.scheduler import Scheduler
from daemon.testing.recording_sink import RecordingSink
from daemon.testing.stage import Stage
from daemon.testing.tools import make_job, make_plan

RESULTS = Path(__file__).parent / "results" / "due_burst.json"
BURST, IDLE = 1_000, 10_000
EVERY = timedelta(seconds=10)
WATCHED_SECONDS = 30.0
BUDGET_MS, BUDGET_CORE, BUDGET_MB = 250.0, 0.005, 60.0


class Busy:
    """A carrier without room: what is measured is the ledger, not the work."""

    free = 0
    lost: frozenset[str] = frozenset()
    shunned: frozenset[str] = frozenset()
    returns_in: float | None = None
    carried: frozenset[str] = frozenset()

    def begin(self, run: Run, plan: Plan, ledger: LedgerRow | None = None) -> bool:  # noqa: ARG002
        return False

    def drive(self, run_id: str) -> bool:  # noqa: ARG002
        return False

    def doubts(self) -> bool:
        return False

    def reopen(self) -> None: ...

    def kill(self) -> None: ...


class Timed(SqlStore):
    """Notes when each transaction of births was durable."""

    delays: list[float]

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        stored = super().create(births, rows, watermarks, owner=owner, fence=fence)
        now = datetime.now(UTC)
        self.delays += [(now - birth.run.instant).total_seconds() for birth in births]
        return stored


@dataclass
class Bench:
    """One daemon without tools over `folder`."""

    folder: Path
    jobs: dict[str, Job]
    clock: SystemClock = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        self.database = open_database(self.folder / "state.db")
        self.store = Timed(self.database)
        self.store.delays = []
        outside = replace(Stage().outside, clock=self.clock, store=self.store, sink=RecordingSink(), owner="bench")
        self.alarm, carrier = Alarm(), Busy()
        self.loop = Loop(self.clock, outside.sink, self.alarm)
        self.duty = self._duty(outside, carrier)

    def _duty(self, outside: Outside, carrier: Busy) -> Lookout:
        scheduler = Scheduler(outside, Plans(self.store), carrier, self.jobs, zone_data_version())
        book = SqlAlertBook(self.database)
        sources = Sources(SqlSigns(self.database), self.store, SqlQueries(self.database), book, lambda: self.jobs)
        return Lookout(Service(outside, carrier, scheduler), sources, self.clock, outside.sink)

    def run(self, seconds: float) -> None:
        threading.Timer(seconds, self._stop).start()
        self.loop.run(self.duty)

    def _stop(self) -> None:
        self.loop.stop()
        self.alarm.ring()

    def close(self) -> None:
        self.alarm.stop()
        self.store.close()


def some(number: int, schedule: Schedule) -> dict[str, Job]:
    made = (make_job(make_plan([Step("look", "look")], job=f"job-{n:05}"), None) for n in range(number))
    return {job.id: replace(job, schedule=schedule) for job in made}


def burst(rounds: int) -> dict[str, Any]:
    jobs = some(BURST, Schedule(every=EVERY))
    with tempfile.TemporaryDirectory() as folder, closing(Bench(Path(folder), jobs)) as bench:
        time.sleep((-time.time()) % EVERY.total_seconds() + 1.0)
        bench.run(rounds * EVERY.total_seconds())
        delays = sorted(bench.store.delays)
        rows = sum(
            len(SqlQueries(bench.database).ledger(job, datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC)))
            for job in jobs
        )
        flush = _flush(Path(folder))
    return {
        "due": rounds * BURST,
        "rows": rows,
        "median_ms": 1000 * delays[len(delays) // 2],
        "p99_ms": 1000 * delays[len(delays) * 99 // 100],
        "worst_ms": 1000 * delays[-1],
        "bare_flush_ms": flush,
    }


def _flush(folder: Path, times: int = 50) -> float:
    began = time.perf_counter()
    with (folder / "flushed").open("wb") as file:
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            os.fdatasync(file.fileno())
    return 1000 * (time.perf_counter() - began) / times


def idle() -> dict[str, Any]:
    gc.collect()
    before = _resident()
    at = datetime.now(UTC) - timedelta(hours=1)
    jobs = some(IDLE, Schedule(f"{at.minute} {at.hour} * * *", "Europe/Berlin"))
    gc.collect()
    made = _resident()
    with tempfile.TemporaryDirectory() as folder, closing(Bench(Path(folder), jobs)) as bench:
        bench.run(5.0)
        gc.collect()
        bench.loop = Loop(bench.clock, RecordingSink(), bench.alarm)
        bench.loop._leading = True  # what is measured is not the taking over
        resident, began, cpu = _resident(), time.perf_counter(), time.process_time()
        bench.run(WATCHED_SECONDS)
        used = (time.process_time() - cpu) / (time.perf_counter() - began)
    return {"jobs": IDLE, "core": used, "jobs_mb": made - before, "all_mb": resident - before}


def _resident() -> float:
    """Megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    at_idle, at_burst = idle(), burst(rounds)
    found = {"load": os.getloadavg()[0], "cores": os.cpu_count(), "idle": at_idle, "burst": at_burst}
    print(json.dumps(found, indent=2))
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    kept = (
        at_burst["rows"] == at_burst["due"]
        and at_burst["p99_ms"] <= BUDGET_MS
        and at_idle["core"] <= BUDGET_CORE
        and at_idle["all_mb"] <= BUDGET_MB
    )
    print("within the budget" if kept else "NOT within the budget")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
