"""Alerts in the database, and what in it may raise one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Integer, Row, Select, Text, delete, func, literal_column, select

from daemon.domain.alerts import Alert
from daemon.domain.events import Decided
from daemon.domain.job import LedgerRow
from daemon.domain.troubles import UNSTARTED
from daemon.ports import EscalationRow, News, Unreadable

from . import leases
from .database import Database
from .instants import instant, micros
from .queries import escalation_line, run_line
from .rows import read, write
from .schema import ALERT_SOURCES, ALERTS, ESCALATIONS, EVENTS, LEDGER, RUNS
from .statements import keep, upsert
from .timetables import DRY_RUN

_AT_ONCE = 500
"""Values bound in one statement."""


class SqlAlertBook:
    """`daemon.ports.AlertBook`. Written rarely, so that its statements are prepared when the book is opened."""

    def __init__(self, database: Database) -> None:
        self._database = database
        statements = database.statements
        self._alert = statements.prepared(upsert(statements.dialect, ALERTS, ("open", "body")))
        self._source = statements.prepared(keep(statements.dialect, ALERT_SOURCES))

    def news(self, since: datetime, limit: int) -> News:
        at = RUNS.c.ended_at
        ended = select(RUNS).where(at.is_not(None), at > micros(since), RUNS.c.cause != DRY_RUN)
        told = LEDGER.c.disposition.in_([literal_column(f"'{one.value}'", Text) for one in sorted(UNSTARTED)])
        unstarted = select(LEDGER).where(told, LEDGER.c.recorded_at > micros(since))
        runs = [run_line(row) for row in self._all(ended.order_by(at, RUNS.c.id).limit(limit))]
        rows = self._all(unstarted.order_by(LEDGER.c.recorded_at, LEDGER.c.job).limit(limit))
        missed = [read(LedgerRow, row.body, f"ledger of {row.job} at {row.instant}") for row in rows]
        return News.limited(runs, missed, limit)

    def spent(self, runs: Sequence[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(runs), _AT_ONCE):
            among = EVENTS.c.run.in_(runs[start : start + _AT_ONCE])
            query = select(EVENTS).where(among, EVENTS.c.kind == Decided.__name__)
            rows = self._all(query)
            found += [read(Decided, row.body, f"run {row.run}, event {row.seq}").decision.cost for row in rows]
        return found

    def active(self) -> list[Alert]:
        query = select(ALERTS).where(ALERTS.c.open == literal_column("1", Integer))
        rows = self._all(query.order_by(ALERTS.c.opened_at, ALERTS.c.id))
        return list(_readable(rows))

    def question(self, run: str, question: str) -> EscalationRow | None:
        one = (ESCALATIONS.c.run == run, ESCALATIONS.c.id == question)
        query = select(ESCALATIONS, RUNS.c.job).join(RUNS, RUNS.c.id == ESCALATIONS.c.run).where(*one)
        return next((escalation_line(row) for row in self._all(query)), None)

    def known(self, sources: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()
        for start in range(0, len(sources), _AT_ONCE):
            query = select(ALERT_SOURCES.c.source).where(ALERT_SOURCES.c.source.in_(sources[start : start + _AT_ONCE]))
            found.update(row.source for row in self._all(query))
        return frozenset(found)

    def newest(self) -> datetime | None:
        query = select(func.max(ALERT_SOURCES.c.at))
        return self._database.read(lambda connection: instant(connection.execute(query).scalar()))

    def save(self, alerts: Sequence[Alert], sources: Mapping[str, datetime], *, fence: int = 0) -> None:
        rows = [_row(alert) for alert in alerts]
        taken = [{"source": source, "at": micros(at)} for source, at in sources.items()]

        def work(connection: Connection) -> None:
            leases.check_fence(connection, fence)
            self._alert.many(connection, rows)
            self._source.many(connection, taken)

        self._database.write(work)

    def forget(self, before: datetime) -> None:
        old = micros(before)

        def work(connection: Connection) -> None:
            connection.execute(delete(ALERTS).where(ALERTS.c.open == 0, ALERTS.c.opened_at < old))
            connection.execute(delete(ALERT_SOURCES).where(ALERT_SOURCES.c.at < old))

        self._database.write(work)

    def _all(self, query: Select[Any]) -> list[Row[Any]]:
        return list(self._database.read(lambda connection: connection.execute(query).all()))


def _readable(rows: Iterable[Row[Any]]) -> Iterator[Alert]:
    """One that a newer version wrote is left alone, and keeps nobody from telling the others."""
    for row in rows:
        with suppress(Unreadable):
            yield read(Alert, row.body, f"alert {row.id}")


def _row(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.id,
        "open": int(not alert.finished),
        "opened_at": micros(alert.opened_at),
        "body": write(alert),
    }
