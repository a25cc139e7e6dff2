"""What is measured by looking: a handful of statements over partial indexes, whatever the store has grown to."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Integer, func, literal_column, select

from daemon.domain.model import RunState
from daemon.domain.pause import Pause
from daemon.ports import EffectState, LastRuns, Vitals

from .database import Database
from .instants import instant
from .rows import read
from .schema import EFFECTS, ESCALATIONS, JOBS, PAUSES, RUNS
from .timetables import DRY_RUN

RECENT: Final = 100
"""Runs of a job that are looked at for the last that succeeded."""
_ONE: Final = literal_column("1", Integer)
"""Written out, not bound, so that the partial indexes serve."""
_OPEN_RUN: Final = (RUNS.c.open == _ONE, RUNS.c.cause != DRY_RUN)


class SqlSigns:
    """`daemon.ports.Signs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def vitals(self) -> Vitals:
        return self._database.read(_vitals)

    def last_runs(self, job: str) -> LastRuns:
        return self._database.read(partial(_last_runs, job=job))


def _vitals(connection: Connection) -> Vitals:
    marks = connection.execute(select(JOBS)).all()
    runs = select(RUNS.c.job, func.count(), func.min(RUNS.c.instant)).where(*_OPEN_RUN).group_by(RUNS.c.job)
    open_runs = connection.execute(runs).all()
    asked = select(func.count(), func.min(ESCALATIONS.c.asked_at)).where(ESCALATIONS.c.open == _ONE)
    escalations, oldest = connection.execute(asked).one()
    outbox, oldest_outbox = _outbox(connection)
    paused = connection.execute(select(PAUSES).where(PAUSES.c.open == _ONE)).all()
    return Vitals(
        watermarks={row.job: instant(row.watermark) for row in marks},
        open_runs={job: count for job, count, _ in open_runs},
        open_since={job: instant(since) for job, _, since in open_runs},
        escalations=escalations,
        oldest_escalation=instant(oldest),
        outbox=outbox,
        oldest_outbox=oldest_outbox,
        pauses=tuple(read(Pause, row.body, f"pause of {row.job}") for row in paused),
    )


def _outbox(connection: Connection) -> tuple[int, datetime | None]:
    meant = (
        select(func.count(), func.min(RUNS.c.started_at))
        .select_from(RUNS)
        .join(EFFECTS, EFFECTS.c.run == RUNS.c.id)
        .where(*_OPEN_RUN, EFFECTS.c.state == EffectState.INTENT.value)
    )
    count, oldest = connection.execute(meant).one()
    return count, instant(oldest)


def _last_runs(connection: Connection, job: str) -> LastRuns:
    newest = (
        select(RUNS.c.state, RUNS.c.started_at, RUNS.c.ended_at)
        .where(RUNS.c.job == job, RUNS.c.cause != DRY_RUN)
        .order_by(RUNS.c.instant.desc(), RUNS.c.revision.desc())
        .limit(RECENT)
    )
    rows = [row for row in connection.execute(newest).all() if row.ended_at is not None]
    succeeded = next((row for row in rows if row.state == RunState.SUCCEEDED.value), None)
    return LastRuns(
        success=None if succeeded is None else instant(succeeded.ended_at),
        seconds=None if not rows else _seconds(rows[0]),
    )


def _seconds(row: Any) -> float | None:
    return None if row.started_at is None else float(row.ended_at - row.started_at) / 1_000_000
