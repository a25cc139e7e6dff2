"""Reads a sales day from an open connection into the artifact, batch by batch."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pyarrow as pa
import sqlalchemy as sa

from ._contract import MisconfiguredError
from ._sales import LocalDay
from ._sales_artifact import Writer, schema
from ._sales_batch import Batch, Mask, Reader
from ._sales_bounds import Stretch, conditions, stored
from ._sales_day import days_needed, whole_hours
from ._sales_dialect import dialect_of
from ._sales_facts import OrderRow, hourly, order_counts, order_rows, single
from ._sales_review import Review
from ._sales_seen import Seen
from ._sales_source import Mapping, Reading, Select
from ._sales_sql import Book, Fetch, book_of, each_row, grouped
from ._sales_stamps import stamps_of
from ._sales_tables import Table, completed, find_query, find_table
from ._sales_tally import Tally
from ._sales_window import Windows

BATCH = 20_000
Mode = Literal["aggregate", "rows"]


@dataclass(frozen=True)
class Plan:
    """Everything decided: the statements in order, and how their rows are read."""

    mode: Mode
    fetches: tuple[Fetch, ...]
    columns: pa.Schema
    reader: Reader
    review: Review
    distinct: bool
    """Whether each row that counts is an order of its own."""
    row_cap: int
    seen: Seen = field(default_factory=Seen)


def plan(connection: sa.Connection, described: Mapping | Select, day: LocalDay, mode: Mode, row_cap: int) -> Plan:
    """Check the description against the source. Raises MisconfiguredError."""
    days = days_needed(day.date, day.timezone)
    table, reading = _table(connection, described, day)
    lines = (
        find_table(connection, described.lines.table) if isinstance(described, Mapping) and described.lines else None
    )
    build = _Build(connection, reading, table, lines, days)
    book, fetches = build.statements(mode)
    stamps = stamps_of(reading, day.timezone)
    review = Review(Windows(days, day), stamps, Tally())
    reader = Reader(stamps, reading.currency, reading.amount_in == "minor")
    return Plan(mode, tuple(fetches), schema(whole_ids=book.whole_ids), reader, review, book.distinct, row_cap)


def _table(connection: sa.Connection, described: Mapping | Select, day: LocalDay) -> tuple[Table, Reading]:
    if isinstance(described, Mapping):
        return find_table(connection, described.table), described
    table = find_query(connection, described, lambda: _bounds(connection, described, day))
    return table, completed(described, table)


def _bounds(connection: sa.Connection, reading: Reading, day: LocalDay) -> dict[str, Any]:
    as_text = connection.dialect.name == "sqlite" and not reading.stored_as.startswith("epoch")
    as_text = as_text or reading.timestamp_format is not None
    ends = {"start": day.start, "end": day.end}
    return {name: stored(each, reading, day.timezone, as_text=as_text) for name, each in ends.items()}


@dataclass(frozen=True)
class _Build:
    connection: sa.Connection
    reading: Reading
    table: Table
    lines: Table | None
    days: tuple[LocalDay, ...]

    def statements(self, mode: Mode) -> tuple[Book, list[Fetch]]:
        if isinstance(self.reading, Select):
            whole = Stretch(sa.true(), dated=False)
            book = self._book(sa.true())
            return book, [fetch for day in self.days for fetch in self._asked(self._made(mode, book, whole), day)]
        nears = self._conditions(self.table.column(self.reading.timestamp))
        books = [self._book(near.condition) for near in nears]
        # one statement for each stretch: a source without an index scans more than once, but none has to
        # merge the row sets of several index ranges, which would cost more than the grouping itself
        made = [self._made(mode, book, self._conditions(book.stamp)[n]) for n, book in enumerate(books)]
        return books[0], [fetch for fetches in made for fetch in fetches]

    def _book(self, near: Any) -> Book:
        return book_of(self.reading, self.table, dialect_of(self.connection), near, self.lines)

    def _made(self, mode: Mode, book: Book, stretch: Stretch) -> Iterator[Fetch]:
        if mode == "rows":
            return each_row(book, stretch)
        return grouped(book, stretch, minutes=not whole_hours(self.days))

    def _asked(self, fetches: Iterator[Fetch], day: LocalDay) -> Iterator[Fetch]:
        bounds = _bounds(self.connection, self.reading, day)
        return (replace(fetch, window=day, parameters=bounds) for fetch in fetches)

    def _conditions(self, stamp: Any) -> list[Stretch]:
        kind = self.table.type_of(self.reading.timestamp)
        sqlite = self.connection.dialect.name == "sqlite"
        indexed = self.reading.timestamp in self.table.indexed
        found = conditions(stamp, kind, self.reading, self.days, sqlite=sqlite, indexed=indexed)
        where = self.reading.where if isinstance(self.reading, Mapping) else None
        if where is None:
            return found
        return [replace(each, condition=sa.and_(each.condition, sa.literal_column(f"({where})"))) for each in found]


def write(connection: sa.Connection, plan: Plan, writer: Writer) -> None:
    """Run the statements one after the other. Raises MisconfiguredError above the row cap."""
    with _uncollected():
        _write(connection, plan, writer)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Millions of rows hold no cycles; looking for some among them takes a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write(connection: sa.Connection, plan: Plan, writer: Writer) -> None:
    for fetch in plan.fetches:
        read = _read(connection, plan, fetch)
        if fetch.facet == "count":
            writer.write(order_counts(plan.columns, _sorted_orders(plan, read)))
            continue
        for batch, kept in read:
            table = _facts(plan, fetch, batch, kept)
            plan.seen.add(fetch, batch, kept, table, plan.review)
            writer.write(table)


def _facts(plan: Plan, fetch: Fetch, batch: Batch, kept: Mask) -> pa.Table:
    if plan.mode == "rows":
        return single(plan.columns, fetch.facet, batch, kept)
    return hourly(plan.columns, fetch.facet, batch, kept, plan.review.windows, distinct=plan.distinct)


def _sorted_orders(plan: Plan, read: Iterator[tuple[Batch, Mask]]) -> Iterator[OrderRow]:
    for batch, kept in read:
        yield from order_rows(batch, kept, plan.review.windows)


def _read(connection: sa.Connection, plan: Plan, fetch: Fetch) -> Iterator[tuple[Batch, Mask]]:
    fetched = 0
    for rows in _raw(connection, fetch):
        fetched += len(rows)
        if fetched > plan.row_cap:
            raise MisconfiguredError(
                f"the source has more than {plan.row_cap:,} rows for these days (row_cap)",
                hint="raise row_cap, or leave mode at aggregate",
            )
        batch = plan.reader.read(fetch, rows)
        yield batch, plan.review.kept(fetch, batch)


def _raw(connection: sa.Connection, fetch: Fetch) -> Iterator[Sequence[Sequence[Any]]]:
    if connection.dialect.name != "sqlite":
        streamed = connection.execution_options(yield_per=BATCH).execute(fetch.statement, dict(fetch.parameters))
        yield from streamed.partitions()
        return
    result = connection.execute(fetch.statement, dict(fetch.parameters))
    try:
        # the driver's own rows: at millions of them, SQLAlchemy's row objects would cost more than the query
        while rows := result.cursor.fetchmany(BATCH):
            yield rows
    except sqlite3.Error as fault:
        raise sa.exc.DBAPIError(None, None, fault) from None
    finally:
        result.close()
