"""What is measured by looking: a handful of statements over partial indexes, whatever the store has grown to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Integer, Result, bindparam, func, literal_column, select

from daemon.domain.birth import wanted_since
from daemon.domain.model import RunState
from daemon.domain.pause import Pause
from daemon.ports import EffectState, LastRuns, Vitals

from .database import Database
from .instants import instant
from .rows import read
from .schema import ALERTS, EFFECTS, ESCALATIONS, JOBS, PAUSES, RUNS
from .timetables import DRY_RUN

RECENT: Final = 100
"""Runs of a job that are looked at for the last that succeeded."""
_ONE: Final = literal_column("1", Integer)
"""Written out, not bound, so that the partial indexes serve."""
_OPEN_RUN: Final = (RUNS.c.open == _ONE, RUNS.c.cause != DRY_RUN)

OPEN_RUNS: Final = select(
    RUNS.c.id, RUNS.c.job, RUNS.c.instant, RUNS.c.cause, RUNS.c.queued_at, RUNS.c.started_at
).where(*_OPEN_RUN)
"""Grouped by us: asked to group by job, SQLite would read every run there ever was by the job's index."""
NEWEST_RUNS: Final = (
    select(RUNS.c.state, RUNS.c.started_at, RUNS.c.ended_at)
    .where(RUNS.c.job == bindparam("of_job"), RUNS.c.cause != DRY_RUN)
    .order_by(RUNS.c.instant.desc(), RUNS.c.revision.desc())
    .limit(RECENT)
)
"""Built once: asked for hundreds of jobs in a row, building it would cost more than the answer."""
AT_ONCE: Final = 500
"""Runs that one statement asks the effects of."""


class SqlSigns:
    """`daemon.ports.Signs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def vitals(self) -> Vitals:
        return self._database.read(_vitals)

    def last_runs(self, jobs: Collection[str]) -> Mapping[str, LastRuns]:
        return self._database.read(partial(_last_runs, jobs=jobs))


def _vitals(connection: Connection) -> Vitals:
    marks = connection.execute(select(JOBS)).all()
    runs = connection.execute(OPEN_RUNS).all()
    since: dict[str, list[datetime]] = defaultdict(list)
    for run in runs:
        since[run.job].append(wanted_since(run.cause, instant(run.instant), instant(run.queued_at)))
    asked = select(func.count(), func.min(ESCALATIONS.c.asked_at)).where(ESCALATIONS.c.open == _ONE)
    escalations, oldest = connection.execute(asked).one()
    meant = _meant(connection, [run.id for run in runs])
    begun = [run.started_at for run in runs if run.id in meant and run.started_at is not None]
    paused = connection.execute(select(PAUSES).where(PAUSES.c.open == _ONE)).all()
    return Vitals(
        watermarks={row.job: instant(row.watermark) for row in marks},
        open_runs={job: len(times) for job, times in since.items()},
        open_since={job: min(times) for job, times in since.items()},
        escalations=escalations,
        oldest_escalation=instant(oldest),
        outbox=meant.total(),
        oldest_outbox=instant(min(begun, default=None)),
        alerts=connection.execute(select(func.count()).where(ALERTS.c.open == _ONE)).scalar_one(),
        pauses=tuple(read(Pause, row.body, f"pause of {row.job}") for row in paused),
    )


def _meant(connection: Connection, runs: list[str]) -> Counter[str]:
    """How many effects of each of these runs are meant and not known to be delivered."""
    found: Counter[str] = Counter()
    for start in range(0, len(runs), AT_ONCE):
        of_them = EFFECTS.c.run.in_(runs[start : start + AT_ONCE])
        intent = EFFECTS.c.state == EffectState.INTENT.value
        found.update(connection.execute(select(EFFECTS.c.run).where(of_them, intent)).scalars())
    return found


def _last_runs(connection: Connection, jobs: Collection[str]) -> dict[str, LastRuns]:
    found = {}
    for job in jobs:
        with connection.execute(NEWEST_RUNS, {"of_job": job}) as newest:
            found[job] = _of_job(newest)
    return found


def _of_job(newest: Result[Any]) -> LastRuns:
    """Read no further than the first that succeeded: that is the newest run, mostly."""
    seconds: float | None = None
    ended = (row for row in newest if row.ended_at is not None)
    for place, row in enumerate(ended):
        seconds = _seconds(row) if place == 0 else seconds
        if row.state == RunState.SUCCEEDED.value:
            return LastRuns(instant(row.ended_at), seconds)
    return LastRuns(None, seconds)


def _seconds(row: Any) -> float | None:
    return None if row.started_at is None else float(row.ended_at - row.started_at) / 1_000_000
