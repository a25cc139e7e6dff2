"""The statements of the hot path: written once in SQLAlchemy Core, rendered once for a dialect, then run as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    Insert,
    Integer,
    Table,
    Text,
    Update,
    bindparam,
    literal_column,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import ClauseElement

from .schema import EFFECTS, ESCALATIONS, EVENTS, INBOX, JOBS, LEDGER, PLANS, RUNS, STEPS

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

Row: TypeAlias = Mapping[str, Any]

_ONE: Final[ColumnElement[int]] = literal_column("1", Integer)
_DELIVERED: Final[ColumnElement[str]] = literal_column("'delivered'", Text)
_VOID: Final[ColumnElement[str]] = literal_column("'void'", Text)
_MEANT: Final[ColumnElement[str]] = literal_column("'intent'", Text)
_INTENT: Final = ("state", "run", "step", "attempt", "deadline")


class Prepared:
    """One rendered statement, run on the driver's own cursor: SQLAlchemy's would take half of a commit's CPU time.

    `run` takes one row of values, `many` several; both by column name. Errors are the driver's.
    """

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._text = str(compiled)
        self._names: Sequence[str] | None = getattr(compiled, "positiontup", None)
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}

    def run(self, connection: Connection, row: Row) -> int:
        """How many rows it touched."""
        cursor = connection.connection.cursor()
        cursor.execute(self._text, self._bound(row))
        touched: int = cursor.rowcount
        cursor.close()
        return touched

    def many(self, connection: Connection, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            self.run(connection, rows[0])
        elif rows:
            cursor = connection.connection.cursor()
            cursor.executemany(self._text, [self._bound(row) for row in rows])
            cursor.close()

    def rows(self, connection: Connection, row: Row) -> list[Any]:
        """What it selects, as the driver's plain tuples."""
        cursor = connection.connection.cursor()
        cursor.execute(self._text, self._bound({**self._constants, **row}))
        found = list(cursor.fetchall())
        cursor.close()
        return found

    def _bound(self, row: Row) -> Any:
        return row if self._names is None else tuple([row[name] for name in self._names])


class Statements:
    """Everything that `SqlStore` writes. A column's bound value has the column's name."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        prepared = self.prepared
        self.accounted = prepared(keep(dialect, LEDGER))
        self.born = prepared(keep(dialect, RUNS))
        self.plan = prepared(keep(dialect, PLANS))
        self.event = prepared(_insert(dialect, EVENTS).values(_binds(EVENTS)))
        self.step = prepared(upsert(dialect, STEPS, ("state", "body")))
        self.head = prepared(_head())
        self.claim = prepared(_claim())
        self.watermark = prepared(_watermark(dialect))
        self.intent = prepared(_intent(dialect))
        self.remembered = prepared(_remembered(dialect))
        self.delivered = prepared(_effect("receipt"))
        self.voided = prepared(_effect().where(EFFECTS.c.state != _DELIVERED, EFFECTS.c.run == bindparam("of")))
        self.asked = prepared(keep(dialect, ESCALATIONS))
        self.closed = prepared(_closed())
        self.folded = prepared(_folded())

    def prepared(self, statement: ClauseElement) -> Prepared:
        return Prepared(statement, self.dialect)


def _insert(dialect: Dialect, table: Table) -> sqlite.Insert | postgresql.Insert:
    if dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - slow to import, and SQLite is the default

    return postgresql.insert(table)


def _binds(table: Table) -> dict[str, Any]:
    return {column.name: bindparam(column.name, type_=column.type) for column in table.columns}


def keep(dialect: Dialect, table: Table) -> Insert:
    """What is there already stays as it is."""
    return _insert(dialect, table).values(_binds(table)).on_conflict_do_nothing()


def upsert(dialect: Dialect, table: Table, columns: Sequence[str]) -> Insert:
    insert = _insert(dialect, table).values(_binds(table))
    return insert.on_conflict_do_update(
        index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in columns}
    )


def _set(table: Table, *columns: str) -> Update:
    return update(table).values({name: bindparam(name, type_=table.c[name].type) for name in columns})


def _head() -> Update:
    moved = _set(RUNS, "state", "open", "reason", "version", "started_at", "ended_at", "wake_at", "body")
    return moved.where(
        RUNS.c.id == bindparam("run"), RUNS.c.epoch == bindparam("epoch"), RUNS.c.version == bindparam("was")
    )


def _claim() -> Update:
    taken = update(RUNS).values(owner=bindparam("owner"), epoch=RUNS.c.epoch + _ONE, version=RUNS.c.version + _ONE)
    return taken.where(
        RUNS.c.id == bindparam("run"),
        RUNS.c.epoch == bindparam("at_epoch"),
        RUNS.c.version == bindparam("was"),
    )


def _watermark(dialect: Dialect) -> Insert:
    """A watermark only ever rises."""
    insert = _insert(dialect, JOBS).values(_binds(JOBS))
    higher = insert.excluded.watermark
    return insert.on_conflict_do_update(
        index_elements=[JOBS.c.job], set_={"watermark": higher}, where=higher > JOBS.c.watermark
    )


def _intent(dialect: Dialect) -> Insert:
    """Never over a receipt, and over another run's intent only by who sends nothing: then no row is touched."""
    insert = _insert(dialect, EFFECTS).values(_binds(EFFECTS))
    free = (EFFECTS.c.state == _VOID) | (EFFECTS.c.run == insert.excluded.run)
    mine = free | (bindparam("sends", type_=Integer) == literal_column("0", Integer))
    return insert.on_conflict_do_update(
        index_elements=[EFFECTS.c.key],
        set_={name: insert.excluded[name] for name in _INTENT},
        where=(EFFECTS.c.state != _DELIVERED) & mine,
    )


def _remembered(dialect: Dialect) -> Insert:
    """Where the row is not there, or knows only of another attempt: one that came to nothing, or had less time."""
    insert = _insert(dialect, EFFECTS).values(_binds(EFFECTS))
    until, meant = EFFECTS.c.deadline, insert.excluded.deadline
    forgotten = ((EFFECTS.c.state == _VOID) & (until != meant)) | ((EFFECTS.c.state == _MEANT) & (until < meant))
    return insert.on_conflict_do_update(
        index_elements=[EFFECTS.c.key], set_={name: insert.excluded[name] for name in _INTENT}, where=forgotten
    )


def _effect(*columns: str) -> Update:
    return _set(EFFECTS, "state", *columns).where(EFFECTS.c.key == bindparam("effect"))


def _closed() -> Update:
    closed = _set(ESCALATIONS, "open", "closed_at", "option", "closed_by")
    return closed.where(ESCALATIONS.c.run == bindparam("of"), ESCALATIONS.c.id == bindparam("escalation"))


def _folded() -> Update:
    read = _set(INBOX, "reply").values(folded=_ONE)
    return read.where(INBOX.c.id == bindparam("message"), INBOX.c.run == bindparam("of"))
