"""One configuration with its own state and its own receiver, and the processes that live and die over it."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.adapters.sql import SqlQueries, SqlStore, open_store
from daemon.domain.events import Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Run, StepState

ROOT = Path(__file__).parents[3]
TOOLS = Path(__file__).parent / "tools"
JOB = "job"
_ONE_AT_A_TIME = threading.Lock()
"""Alembic migrates one database at a time in a process: what it works on is global."""


@dataclass(frozen=True)
class Stand:
    """`folder` holds everything; `store` is a URL, or empty for SQLite in the state folder."""

    folder: Path
    store: str = ""
    cache: Path | None = None
    """A tools.json that another stand has made already."""

    def set_up(self, job: Mapping[str, Any]) -> Stand:
        for name in ("config/jobs", "state", "counted", "arrived"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        settings: dict[str, Any] = {"state": str(self.folder / "state"), "tools": [str(TOOLS)]}
        self._write("clockwright.yaml", settings | ({"store": self.store} if self.store else {}))
        self.write_job(job)
        if self.cache is not None and self.cache.exists():
            shutil.copyfile(self.cache, self.folder / "state" / "tools.json")
        return self

    def write_job(self, job: Mapping[str, Any], name: str = JOB) -> None:
        self._write(f"jobs/{name}.yaml", job)

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        (self.folder / "config" / name).write_text(json.dumps(content))  # JSON is YAML

    def messages(self) -> list[Path]:
        """What the outbox has; the half of one that a killed process left lies beside it, hidden, until it is swept."""
        found = (self.folder / "state" / "outbox").glob("*/message.json")
        return [message for message in found if not message.parent.name.startswith(".")]

    # -- processes

    def start(self, mode: str = "run", strike: str = "never") -> subprocess.Popen[str]:
        """A process with seams; its log goes to a file, so that no pipe can hold it up."""
        return self._popen("-m", "tests.system.kill.victim", mode, str(self.folder / "config"), strike)

    def clockwright(self, *arguments: str) -> subprocess.Popen[str]:
        """The product itself, without any seam."""
        return self._popen("-m", "daemon", "--config", str(self.folder / "config"), *arguments)

    def _popen(self, *arguments: str) -> subprocess.Popen[str]:
        with (self.folder / "log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True
            )

    @property
    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    # -- what there is to see

    def runs(self) -> list[Run]:
        store = self._open()
        try:
            return [store.load(row.id) for row in SqlQueries(store.database).runs(limit=10_000)]
        finally:
            store.close()

    def events(self, run_id: str) -> list[Event]:
        store = self._open()
        try:
            return SqlQueries(store.database).events(run_id)
        finally:
            store.close()

    def ledger(self) -> list[LedgerRow]:
        store = self._open()
        now = datetime.now(UTC)
        try:
            return SqlQueries(store.database).ledger(JOB, now - timedelta(days=2), now + timedelta(days=1))
        finally:
            store.close()

    def owe(self, since: datetime, job: str = JOB) -> None:
        """The job was accounted for up to `since`: everything later is owed by the schedule that it has."""
        store = self._open()
        store.create([], [], {job: since})
        store.close()

    def _open(self) -> SqlStore:
        with _ONE_AT_A_TIME:
            return open_store(self.store or self.folder / "state" / "clockwright.db")

    def all_ended(self) -> bool:
        """Whether there is a run and none is open; asked often, so by plain SQL."""
        if not self.exists:
            return False
        with closing(self._connect()) as connection:
            [(runs, still_open)] = connection.execute("SELECT count(*), coalesce(sum(open), 0) FROM runs").fetchall()
        return bool(runs) and not still_open

    def _connect(self) -> Any:
        if self.store:
            import psycopg

            return psycopg.connect(self.store)
        return sqlite3.connect(f"file:{self.folder / 'state' / 'clockwright.db'}?mode=ro", uri=True)

    @property
    def takeovers(self) -> int:
        """How often a process has begun to serve."""
        return self.log.count("holds the lease and serves")

    @property
    def locked(self) -> bool:
        """Whether somebody is in the middle of writing into the SQLite file."""
        if self.store or not self.exists:
            return False
        with closing(sqlite3.connect(self.folder / "state" / "clockwright.db", timeout=0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
        return False

    def wait_frozen(self, process: subprocess.Popen[str], seconds: float = 120.0) -> None:
        """Until it has frozen or ended, and not in the middle of writing: nobody could go on before it is woken."""
        until = time.monotonic() + seconds
        while process.poll() is None and (not frozen(process) or self.locked):
            assert time.monotonic() < until, self.log
            if frozen(process):
                process.send_signal(signal.SIGCONT)
                time.sleep(0.002)
                process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)

    @property
    def exists(self) -> bool:
        return bool(self.store) or (self.folder / "state" / "clockwright.db").exists()

    def counted(self) -> Counter[str]:
        """How often each step worked to its end, by run and step."""
        return Counter(path.name.rpartition(".")[0] for path in (self.folder / "counted").iterdir())

    def arrivals(self) -> Counter[str]:
        """How often each effect key arrived."""
        return Counter(path.name.rpartition(".")[0] for path in (self.folder / "arrived").iterdir())

    def finished(self) -> set[str]:
        """Steps that are stored as done, named as `counted` names them."""
        if not self.exists:
            return set()
        return {
            f"{run.id}.{name}" for run in self.runs() for name, at in run.steps.items() if at.state is StepState.DONE
        }


def frozen(process: subprocess.Popen[str]) -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def shop_of_steps(folder: Path, *, cron: str | None = None, seconds: float = 0.02) -> dict[str, Any]:
    """Two steps side by side, one that needs both, and a delivery; every run counts for itself."""

    def counting(name: str, *needs: str) -> dict[str, Any]:
        given = {"folder": str(folder / "counted"), "name": f"${{run.id}}.{name}", "seconds": seconds}
        return {"id": name, "use": "counts", "needs": list(needs), "with": given}

    delivery = {
        "id": "deliver",
        "use": "delivers",
        "needs": ["both"],
        "timeout": "3s",
        "with": {
            "folder": str(folder / "arrived"),
            "content": "${run.id}",
            "before": min(seconds, 0.5),
            "after": min(seconds, 0.5),
        },
    }
    job: dict[str, Any] = {
        "id": JOB,
        "goal": "Everything happens once",
        "timezone": "UTC",
        "limits": {"crashes": 20},
        "steps": [counting("left"), counting("right"), counting("both", "left", "right"), delivery],
    }
    return job | ({"schedule": {"cron": cron}} if cron else {})
