"""What people look at. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from sqlalchemy import Connection, Integer, Row, Select, bindparam, or_, select

from daemon.domain import codec
from daemon.domain.deed import Deed
from daemon.domain.events import Event
from daemon.domain.job import Disposition, LedgerRow
from daemon.domain.model import Escalation, Run, RunState
from daemon.domain.pause import Pause
from daemon.domain.plan import Plan
from daemon.ports import Accounted, EffectRow, EscalationRow, Recent, RunRow

from .database import Database
from .deeds import SqlDeeds
from .instants import instant, micros
from .rows import read, to_effect, to_event
from .schema import EFFECTS, ESCALATIONS, EVENTS, LEDGER, RUNS
from .statements import Prepared
from .store import load, load_plan
from .timetables import SqlTimetables

_LISTED = [column for column in RUNS.columns if column.name != "body"]
_RECENT = (
    "state", "id", "instant", "revision", "data_date", "cause", "reason", "queued_at", "started_at", "ended_at"
)  # fmt: skip
QUESTIONS = select(ESCALATIONS, RUNS.c.job).join(RUNS, RUNS.c.id == ESCALATIONS.c.run)
_STATES = {state.value: state for state in RunState}


class SqlQueries:
    """`daemon.ports.Queries`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._timetables = SqlTimetables(database, database.statements)
        self._deeds = SqlDeeds(database)

    def run(self, run_id: str) -> Run:
        return self._database.read(partial(load, run_id=run_id))

    def plan(self, digest: str) -> Plan:
        return codec.from_plain(Plan, self._database.read(partial(load_plan, digest=digest)))

    def runs(
        self, job: str | None = None, state: RunState | None = None, limit: int = 50, before: str | None = None
    ) -> list[RunRow]:
        """Newest first."""
        query = select(*_LISTED).order_by(RUNS.c.queued_at.desc(), RUNS.c.id.desc()).limit(limit)
        if job is not None:
            query = query.where(RUNS.c.job == job)
        if state is not None:
            query = query.where(RUNS.c.state == state.value)
        if before is not None:
            last, at = select(RUNS.c.queued_at).where(RUNS.c.id == before).scalar_subquery(), RUNS.c.queued_at
            query = query.where(at <= last, or_(at < last, RUNS.c.id < before))
        return [run_line(row) for row in self._all(query)]

    def recent(self, jobs: Sequence[str], each: int) -> Mapping[str, Recent]:
        def work(connection: Connection) -> Mapping[str, Recent]:
            return {job: _recent(job, self._recent.rows(connection, {"job": job, "most": each})) for job in jobs}

        return self._database.read(work)

    @cached_property
    def _recent(self) -> Prepared:
        """On the driver's cursor: an overview asks this once for every job."""
        newest = select(*(RUNS.c[name] for name in _RECENT)).where(RUNS.c.job == bindparam("job"))
        ordered = newest.order_by(RUNS.c.queued_at.desc(), RUNS.c.id.desc()).limit(bindparam("most", type_=Integer()))
        return self._database.statements.prepared(ordered)

    def events(self, run_id: str) -> list[Event]:
        query = select(EVENTS).where(EVENTS.c.run == run_id).order_by(EVENTS.c.seq)
        return [to_event(row) for row in self._all(query)]

    def escalations(self, include_closed: bool = False) -> list[EscalationRow]:
        """Oldest first."""
        query = QUESTIONS if include_closed else QUESTIONS.where(ESCALATIONS.c.open == 1)
        return [escalation_line(row) for row in self._all(query.order_by(ESCALATIONS.c.asked_at, ESCALATIONS.c.id))]

    def decided(self, limit: int = 10) -> list[EscalationRow]:
        closed = QUESTIONS.where(ESCALATIONS.c.open == 0)
        latest = closed.order_by(ESCALATIONS.c.closed_at.desc(), ESCALATIONS.c.id.desc()).limit(limit)
        return [escalation_line(row) for row in self._all(latest)]

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

    def accounted(self, job: str, start: datetime, limit: int) -> list[Accounted]:
        at, rows = LEDGER.c.instant, LEDGER.outerjoin(RUNS, RUNS.c.id == LEDGER.c.run)
        query = select(at, LEDGER.c.disposition, LEDGER.c.run, RUNS.c.state).select_from(rows)
        query = query.where(LEDGER.c.job == job, at >= micros(start)).order_by(at.desc()).limit(limit)
        return [_accounted(row) for row in self._all(query)]

    def watermarks(self) -> Mapping[str, datetime]:
        return self._timetables.watermarks()

    def pauses(self) -> list[Pause]:
        return self._timetables.pauses()

    def deeds(self, limit: int = 50, before: datetime | None = None) -> list[Deed]:
        return self._deeds.newest(limit, before)

    def effects(self, run_id: str) -> list[EffectRow]:
        query = select(EFFECTS).where(EFFECTS.c.run == run_id).order_by(EFFECTS.c.key)
        return [to_effect(row) for row in self._all(query)]

    def close(self) -> None:
        """For whoever opened the database for the queries alone."""
        self._database.close()

    def _all(self, query: Select[Any]) -> list[Row[Any]]:
        return list(self._database.read(lambda connection: connection.execute(query).all()))


def run_line(row: Row[Any]) -> RunRow:
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


def _recent(job: str, rows: Sequence[Sequence[Any]]) -> Recent:
    states = tuple(_STATES[row[0]] for row in rows)
    unfinished = (row for row, state in zip(rows, states, strict=True) if not state.ended)
    return Recent(states, _short(job, rows[0]) if rows else None, tuple(_short(job, row) for row in unfinished))


def _short(job: str, row: Sequence[Any]) -> RunRow:
    state, name, at, revision, date, cause, reason, queued, started, ended = row
    return RunRow(
        id=name,
        job=job,
        instant=instant(at),
        revision=revision,
        date=date,
        state=_STATES[state],
        cause=cause,
        reason=reason,
        queued_at=instant(queued),
        started_at=instant(started),
        ended_at=instant(ended),
    )


def _accounted(row: Row[Any]) -> Accounted:
    state = RunState(row.state) if row.state else None
    return Accounted(instant(row.instant), Disposition(row.disposition), row.run, state)


def escalation_line(row: Row[Any]) -> EscalationRow:
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
        asked.digest,
        row.option,
        row.closed_by,
        instant(row.closed_at),
    )
