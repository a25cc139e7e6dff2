"""The tables. Times are microseconds since 1970 in UTC; a `body` is the codec's text; the rest is for finding rows."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, Table, Text, text

METADATA: Final = MetaData()

_Id = BigInteger().with_variant(Integer, "sqlite")
_OPEN: Final = text("open = 1")
_UNREAD: Final = text("folded = 0")
_ENDED: Final = text("ended_at IS NOT NULL")
_UNSTARTED: Final = text("disposition IN ('missed_expired', 'blocked_invalid')")


def _text(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, Text, primary_key=key, nullable=False)


def _number(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, BigInteger, primary_key=key, nullable=False, autoincrement=False)


def _time(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=True)


RUNS: Final = Table(
    "runs",
    METADATA,
    _text("id", key=True),
    _text("job"),
    _number("instant"),
    _number("revision"),
    _text("data_date"),
    _text("plan"),
    _text("cause"),
    _text("state"),
    _number("open"),
    _text("reason"),
    _text("owner"),
    _number("epoch"),
    _number("version"),
    _number("queued_at"),
    _time("started_at"),
    _time("ended_at"),
    _time("wake_at"),
    _text("body"),
)
Index("runs_occurrence", RUNS.c.job, RUNS.c.instant, RUNS.c.revision, unique=True)
Index("runs_queued_at", RUNS.c.queued_at)
Index("runs_job_queued_at", RUNS.c.job, RUNS.c.queued_at, RUNS.c.id)
Index("runs_plan", RUNS.c.plan)
Index("runs_ended_at", RUNS.c.ended_at, sqlite_where=_ENDED, postgresql_where=_ENDED)
Index("runs_open", RUNS.c.wake_at, RUNS.c.id, sqlite_where=_OPEN)

STEPS: Final = Table(
    "steps",
    METADATA,
    _text("run", key=True),
    _text("step", key=True),
    _number("position"),
    _text("state"),
    _text("body"),
)

EVENTS: Final = Table(
    "events",
    METADATA,
    _text("run", key=True),
    _number("seq", key=True),
    _number("at"),
    _text("kind"),
    Column("step", Text, nullable=True),
    _text("body"),
    sqlite_with_rowid=False,
)

EFFECTS: Final = Table(
    "effects",
    METADATA,
    _text("key", key=True),
    _text("state"),
    _text("run"),
    _text("step"),
    _number("attempt"),
    _number("deadline"),
    Column("receipt", Text, nullable=True),
)
Index("effects_run", EFFECTS.c.run)

ESCALATIONS: Final = Table(
    "escalations",
    METADATA,
    _text("run", key=True),
    _text("id", key=True),
    _number("open"),
    _number("asked_at"),
    _number("expires_at"),
    _time("closed_at"),
    _text("option"),
    _text("closed_by"),
    _text("body"),
)
Index("escalations_open", ESCALATIONS.c.asked_at, sqlite_where=_OPEN)

INBOX: Final = Table(
    "inbox",
    METADATA,
    Column("id", _Id, primary_key=True, autoincrement=True),
    _text("run"),
    _text("kind"),
    _number("at"),
    _number("folded"),
    _text("body"),
    Column("reply", Text, nullable=True),
    sqlite_autoincrement=True,
)
Index("inbox_unread", INBOX.c.run, sqlite_where=_UNREAD)

LEDGER: Final = Table(
    "ledger",
    METADATA,
    _text("job", key=True),
    _number("instant", key=True),
    _text("disposition"),
    Column("run", Text, nullable=True),
    _time("recorded_at"),
    _text("body"),
)

Index("ledger_unstarted", LEDGER.c.recorded_at, sqlite_where=_UNSTARTED, postgresql_where=_UNSTARTED)

JOBS: Final = Table("jobs", METADATA, _text("job", key=True), _number("watermark"))

SCHEDULES: Final = Table("schedules", METADATA, _text("job", key=True), _number("since", key=True), _text("body"))

PAUSES: Final = Table(
    "pauses",
    METADATA,
    _text("job", key=True),
    _number("since", key=True),
    _number("open"),
    _time("ended_at"),
    _text("ended_by"),
    _text("body"),
)
Index("pauses_open", PAUSES.c.job, sqlite_where=_OPEN, postgresql_where=_OPEN)

DEEDS: Final = Table(
    "deeds",
    METADATA,
    Column("id", _Id, primary_key=True, autoincrement=True),
    _number("at"),
    _text("by"),
    _text("origin"),
    _text("verb"),
    _text("job"),
    _text("run"),
    _text("detail"),
    Column("key", Text, nullable=True),
    sqlite_autoincrement=True,
)
Index("deeds_at", DEEDS.c.at)
Index("deeds_key", DEEDS.c.key, unique=True)

ALERTS: Final = Table(
    "alerts",
    METADATA,
    _text("id", key=True),
    _number("open"),
    _number("opened_at"),
    _text("body"),
)
Index("alerts_open", ALERTS.c.opened_at, sqlite_where=_OPEN, postgresql_where=_OPEN)

ALERT_SOURCES: Final = Table("alert_sources", METADATA, _text("source", key=True), _number("at"))
Index("alert_sources_at", ALERT_SOURCES.c.at)

PLANS: Final = Table("plans", METADATA, _text("digest", key=True), _text("body"))

LEASES: Final = Table(
    "leases",
    METADATA,
    _text("name", key=True),
    _text("owner"),
    _number("epoch"),
    _text("boot_id"),
    _number("pid"),
    _number("pid_started"),
    Column("expires", Float, nullable=False),
)
