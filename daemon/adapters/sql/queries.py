"""What people look at. Nothing here decides anything."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, select

from daemon.domain.events import Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Escalation, RunState
from daemon.ports import EffectRow, EscalationRow, RunRow

from .database import Database
from .instants import instant, micros
from .rows import read, to_effect, to_event
from .schema import EFFECTS, ESCALATIONS, EVENTS, LEDGER, RUNS


class SqlQueries:
    """`daemon.ports.Queries`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def runs(self, job: str | None = None, state: RunState | None = None, limit: int = 50) -> list[RunRow]:
        """Newest first."""
        query = select(RUNS).order_by(RUNS.c.queued_at.desc(), RUNS.c.id.desc()).limit(limit)
        if job is not None:
            query = query.where(RUNS.c.job == job)
        if state is not None:
            query = query.where(RUNS.c.state == state.value)
        return [_run(row) for row in self._all(query)]

    def events(self, run_id: str) -> list[Event]:
        query = select(EVENTS).where(EVENTS.c.run == run_id).order_by(EVENTS.c.seq)
        return [to_event(row) for row in self._all(query)]

    def escalations(self, include_closed: bool = False) -> list[EscalationRow]:
        """Oldest first."""
        query = select(ESCALATIONS, RUNS.c.job).join(RUNS, RUNS.c.id == ESCALATIONS.c.run)
        if not include_closed:
            query = query.where(ESCALATIONS.c.open == 1)
        return [_escalation(row) for row in self._all(query.order_by(ESCALATIONS.c.asked_at, ESCALATIONS.c.id))]

    def ledger(self, job: str, start: datetime, end: datetime) -> list[LedgerRow]:
        """From `start` up to, not including, `end`."""
        at = LEDGER.c.instant
        query = select(LEDGER).where(LEDGER.c.job == job, at >= micros(start), at < micros(end)).order_by(at)
        return [read(LedgerRow, row.body, f"ledger of {job} at {row.instant}") for row in self._all(query)]

    def ledger_after(self, job: str, instant: datetime) -> LedgerRow | None:
        at = LEDGER.c.instant
        query = select(LEDGER).where(LEDGER.c.job == job, at >= micros(instant)).order_by(at).limit(1)
        found = [read(LedgerRow, row.body, f"ledger of {job} at {row.instant}") for row in self._all(query)]
        return next(iter(found), None)

    def effects(self, run_id: str) -> list[EffectRow]:
        query = select(EFFECTS).where(EFFECTS.c.run == run_id).order_by(EFFECTS.c.key)
        return [to_effect(row) for row in self._all(query)]

    def close(self) -> None:
        """For whoever opened the database for the queries alone."""
        self._database.close()

    def _all(self, query: Select[Any]) -> list[Row[Any]]:
        return list(self._database.read(lambda connection: connection.execute(query).all()))


def _run(row: Row[Any]) -> RunRow:
    return RunRow(
        id=row.id,
        job=row.job,
        instant=instant(row.instant),
        revision=row.revision,
        date=row.data_date,
        state=RunState(row.state),
        cause=row.cause,
        reason=row.reason,
        queued_at=instant(row.queued_at),
        started_at=instant(row.started_at),
        ended_at=instant(row.ended_at),
    )


def _escalation(row: Row[Any]) -> EscalationRow:
    asked = read(Escalation, row.body, f"run {row.run}, escalation {row.id}")
    return EscalationRow(
        asked.id,
        row.run,
        row.job,
        asked.step,
        asked.question,
        asked.options,
        asked.default,
        asked.asked_at,
        asked.expires_at,
    )
