"""What is measured by looking, over the store in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime

from daemon.domain.birth import wanted_since
from daemon.domain.model import RunState
from daemon.ports import LastRuns, RunRow, Vitals

from .memory_store import MemoryStore

ALL = 1_000_000


class MemorySigns:
    """`daemon.ports.Signs`; it knows of no outbox."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def vitals(self) -> Vitals:
        unfinished = [row for row in self._runs() if not row.state.ended]
        asked = self._store.escalations()
        since: dict[str, datetime] = {}
        for row in unfinished:
            at = wanted_since(row.cause, row.instant, row.queued_at)
            since[row.job] = min(at, since.get(row.job, at))
        return Vitals(
            watermarks=self._store.watermarks(),
            open_runs=Counter(row.job for row in unfinished),
            open_since=since,
            escalations=len(asked),
            oldest_escalation=min((row.asked_at for row in asked), default=None),
            pauses=tuple(self._store.pauses()),
        )

    def last_runs(self, jobs: Collection[str]) -> Mapping[str, LastRuns]:
        return {job: self._last_runs(job) for job in jobs}

    def _last_runs(self, job: str) -> LastRuns:
        ended = [row for row in self._runs(job) if row.ended_at]
        succeeded = next((row.ended_at for row in ended if row.state is RunState.SUCCEEDED), None)
        return LastRuns(succeeded, _seconds(ended[0]) if ended else None)

    def _runs(self, job: str | None = None) -> list[RunRow]:
        return [row for row in self._store.runs(job, limit=ALL) if row.cause != "dry run"]


def _seconds(row: RunRow) -> float | None:
    return (row.ended_at - row.started_at).total_seconds() if row.ended_at and row.started_at else None
