"""Alerts in memory, held to the same suite as the ones on SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from daemon.domain.alerts import Alert
from daemon.domain.events import Decided
from daemon.domain.troubles import UNSTARTED
from daemon.ports import EscalationRow, News

from .memory_queries import escalation_line, run_line
from .memory_tables import Tables

DRY_RUN = "dry run"


class MemoryAlertBook:
    """`daemon.ports.AlertBook`."""

    def __init__(self, tables: Tables, writing: Callable[[str, int], AbstractContextManager[None]]) -> None:
        self._tables = tables
        self._writing = writing

    def news(self, since: datetime, limit: int) -> News:
        runs = [kept.run for kept in list(self._tables.runs.values()) if kept.run.cause != DRY_RUN]
        ended = [run for run in runs if run.ended_at and run.ended_at > since]
        ended.sort(key=lambda run: (run.ended_at or since, run.id))
        rows = [row for row in list(self._tables.ledger.values()) if row.disposition in UNSTARTED]
        unstarted = [row for row in rows if row.recorded_at and row.recorded_at > since]
        unstarted.sort(key=lambda row: (row.recorded_at or since, row.occurrence.job))
        lines, missed = [run_line(run) for run in ended[:limit]], unstarted[:limit]
        return News.limited(lines, missed, limit)

    def spent(self, runs: Sequence[str]) -> list[str]:
        kept = [self._tables.runs[run] for run in runs if run in self._tables.runs]
        return [event.decision.cost for one in kept for event in one.events if isinstance(event, Decided)]

    def active(self) -> list[Alert]:
        alerts = [alert for alert in list(self._tables.alerts.values()) if not alert.finished]
        return sorted(alerts, key=lambda alert: (alert.opened_at, alert.id))

    def question(self, run: str, question: str) -> EscalationRow | None:
        found = self._tables.questions.get((run, question))
        return escalation_line(found, self._tables.runs[run].run.job) if found else None

    def known(self, sources: Sequence[str]) -> frozenset[str]:
        return frozenset(self._tables.sources.keys() & set(sources))

    def newest(self) -> datetime | None:
        return max(self._tables.sources.values(), default=None)

    def save(self, alerts: Sequence[Alert], sources: Mapping[str, datetime], *, fence: int = 0) -> None:
        with self._writing("alerts", fence):
            for alert in alerts:
                self._tables.alerts[alert.id] = self._tables.through(alert)
            for source, at in sources.items():
                self._tables.sources.setdefault(source, at)

    def forget(self, before: datetime) -> None:
        with self._writing("forget", 0):
            tables = self._tables
            tables.alerts = {a.id: a for a in tables.alerts.values() if not a.finished or a.opened_at >= before}
            tables.sources = {source: at for source, at in tables.sources.items() if at >= before}
