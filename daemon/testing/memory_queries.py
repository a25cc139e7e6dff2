"""Queries over the store in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import RLock

from daemon.domain import codec
from daemon.domain.deed import Deed
from daemon.domain.events import Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Run, RunState
from daemon.domain.pause import Pause
from daemon.domain.plan import Plan
from daemon.ports import Accounted, EffectRow, EscalationRow, Recent, RunRow

from .memory_tables import Question, Tables


class MemoryQueries:
    """`daemon.ports.Queries`."""

    def __init__(self, tables: Tables, lock: RLock) -> None:
        self._tables = tables
        self._lock = lock

    def run(self, run_id: str) -> Run:
        return self._tables.runs[run_id].run

    def plan(self, digest: str) -> Plan:
        return codec.from_plain(Plan, self._tables.plans[digest])

    def runs(
        self, job: str | None = None, state: RunState | None = None, limit: int = 50, before: str | None = None
    ) -> list[RunRow]:
        with self._lock:
            found = [kept.run for kept in self._tables.runs.values()]
        found = [run for run in found if job in {None, run.job} and state in {None, run.state}]
        if before is not None:
            last = next((_age(run) for run in found if run.id == before), None)
            found = [run for run in found if last and _age(run) < last]
        found.sort(key=_age, reverse=True)
        return [run_line(run) for run in found[:limit]]

    def recent(self, jobs: Sequence[str], each: int) -> Mapping[str, Recent]:
        return {job: _recent(self.runs(job, limit=each)) for job in jobs}

    def events(self, run_id: str) -> list[Event]:
        with self._lock:
            kept = self._tables.runs.get(run_id)
            return [codec.slim(event) for event in kept.events] if kept else []

    def escalations(self, include_closed: bool = False) -> list[EscalationRow]:
        with self._lock:
            found = [question for question in self._tables.questions.values() if include_closed or question.open]
            rows = [escalation_line(question, self._tables.runs[question.run].run.job) for question in found]
        return sorted(rows, key=lambda row: (row.asked_at, row.id))

    def decided(self, limit: int = 10) -> list[EscalationRow]:
        closed = [row for row in self.escalations(include_closed=True) if row.closed_at]
        return sorted(closed, key=lambda row: (row.closed_at, row.id), reverse=True)[:limit]

    def ledger(self, job: str, start: datetime, end: datetime) -> list[LedgerRow]:
        with self._lock:
            keys = sorted(key for key in self._tables.ledger if key[0] == job and start <= key[1] < end)
            return [self._tables.ledger[key] for key in keys]

    def ledger_after(self, job: str, instant: datetime) -> LedgerRow | None:
        with self._lock:
            keys = (key for key in self._tables.ledger if key[0] == job and key[1] >= instant)
            return self._tables.ledger.get(min(keys, default=("", instant)))

    def accounted(self, job: str, start: datetime, limit: int) -> list[Accounted]:
        with self._lock:
            keys = sorted((key for key in self._tables.ledger if key[0] == job and key[1] >= start), reverse=True)
            return [self._accounted(self._tables.ledger[key]) for key in keys[:limit]]

    def _accounted(self, row: LedgerRow) -> Accounted:
        kept = self._tables.runs.get(row.run or "")
        return Accounted(row.occurrence.instant, row.disposition, row.run, kept.run.state if kept else None)

    def watermarks(self) -> Mapping[str, datetime]:
        with self._lock:
            return dict(self._tables.watermarks)

    def pauses(self) -> list[Pause]:
        with self._lock:
            return [self._tables.pauses[job] for job in sorted(self._tables.pauses)]

    def deeds(self, limit: int = 50, before: datetime | None = None) -> list[Deed]:
        with self._lock:
            found = [one for one in reversed(self._tables.deeds) if before is None or one.at < before]
        return sorted(found, key=lambda one: one.at, reverse=True)[:limit]

    def effects(self, run_id: str) -> list[EffectRow]:
        with self._lock:
            found = [row for row in self._tables.effects.values() if row.run == run_id]
        return sorted(found, key=lambda row: row.key)


def _age(run: Run) -> tuple[datetime, str]:
    return run.queued_at, run.id


def _recent(rows: Sequence[RunRow]) -> Recent:
    unfinished = tuple(row for row in rows if not row.state.ended)
    return Recent(tuple(row.state for row in rows), next(iter(rows), None), unfinished)


def run_line(run: Run) -> RunRow:
    return RunRow(
        id=run.id,
        job=run.job,
        instant=run.instant,
        revision=run.revision,
        date=run.data.day.isoformat(),
        state=run.state,
        cause=run.cause,
        reason=run.reason,
        queued_at=run.queued_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )


def escalation_line(question: Question, job: str) -> EscalationRow:
    asked = question.asked
    return EscalationRow(
        id=asked.id,
        run=question.run,
        job=job,
        step=asked.step,
        question=asked.question,
        options=asked.options,
        default=asked.default,
        asked_at=asked.asked_at,
        expires_at=asked.expires_at,
        option=question.closed.option if question.closed else "",
        closed_by=question.closed.by if question.closed else "",
        closed_at=question.closed.at if question.closed else None,
        digest=asked.digest,
    )
