"""Several daemons over one store and a job that is due every second: frozen, killed, and every instant has one run."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from daemon.domain.model import Run, RunState
from tests.system.kill.stand import JOB, Stand

SECOND = timedelta(seconds=1)
FOLLOWER = "follower"
SERVES = "holds the lease and serves"
LAST = 8
"""Instants of the last moments before the end, that nobody had the time to follow."""
DOWN_SECONDS = 8.0
FROZEN_SECONDS = 22.0
"""Longer than the lease, so that another daemon takes over."""


def job(folder: Path) -> Mapping[str, Any]:
    """Every instant runs, however late: so the ledger is the same whatever kept the daemon from it."""
    return {
        "id": JOB,
        "goal": "Count every second",
        "timezone": "UTC",
        "schedule": {"every": "1s", "catch_up": "all", "catch_up_limit": 1000, "overlap": "allow"},
        "limits": {"crashes": 20},
        "steps": [
            {"id": "count", "use": "counts", "with": {"folder": str(folder / "counted"), "name": "${run.id}.count"}}
        ],
    }


def follower(folder: Path) -> Mapping[str, Any]:
    """Due for every second that the job has counted."""
    return {**job(folder), "id": FOLLOWER, "schedule": {"after": JOB, "overlap": "allow"}}


@dataclass
class Fleet:
    """`daemons` processes over one store; the first one started leads. `followed`: another job follows the first."""

    stand: Stand
    daemons: int
    followed: bool = False
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self) -> None:
        self.stand.set_up(job(self.stand.folder))
        if self.followed:
            self.stand.write_job(follower(self.stand.folder), FOLLOWER)
        self.add()
        self.until_serving(1)
        for _ in range(self.daemons - 1):
            self.add()

    def add(self) -> subprocess.Popen[str]:
        self.processes.append(self.stand.clockwright("serve"))
        return self.processes[-1]

    def until_serving(self, times: int, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while self.stand.log.count(SERVES) < times:
            if time.monotonic() > end:
                raise TimeoutError(self.stand.log[-2000:])
            time.sleep(0.05)

    def freeze(self) -> None:
        os.kill(self.processes[0].pid, signal.SIGSTOP)

    def wake(self) -> None:
        """It is the last in line from now on."""
        os.kill(self.processes[0].pid, signal.SIGCONT)
        self.processes.append(self.processes.pop(0))

    def kill(self) -> None:
        process = self.processes.pop(0)
        process.kill()
        process.wait()

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGCONT)
                process.terminate()
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def violations(self) -> Iterator[str]:
        """What is not as it would be had nothing happened."""
        rows, all_runs = self.stand.ledger(), self.stand.runs()
        runs = [run for run in all_runs if run.job == JOB]
        instants = [row.occurrence.instant for row in rows]
        if not instants:
            yield "nothing was due"
            return
        expected = [instants[0] + n * SECOND for n in range(round((instants[-1] - instants[0]) / SECOND) + 1)]
        if instants != expected:
            yield f"instants without a row: {sorted(set(expected) - set(instants))[:5]}"
        if others := {row.disposition for row in rows} - {"started"}:
            yield f"instants that did not simply start: {others}"
        if sorted(run.instant for run in runs) != instants or any(run.revision != 1 for run in runs):
            yield f"{len(runs)} runs for {len(instants)} instants"
        if self.followed:
            yield from self._followed(all_runs)
        if bad := [run.id for run in all_runs if run.state.ended and run.state is not RunState.SUCCEEDED]:
            yield f"runs that did not succeed: {bad[:5]}"

    @staticmethod
    def _followed(runs: list[Run]) -> Iterator[str]:
        followers = [run.instant for run in runs if run.job == FOLLOWER]
        done = {run.instant for run in runs if run.job == JOB and run.state is RunState.SUCCEEDED}
        if len(set(followers)) < len(followers) or not done.issuperset(followers):
            yield f"the follower ran {len(followers)} times, and not once for each of {len(done)} instants"
        if missing := [at for at in sorted(done.difference(followers)) if at < max(done) - LAST * SECOND]:
            yield f"the follower never ran for {missing[:5]}"

    @property
    def instants(self) -> int:
        return len(self.stand.ledger())
