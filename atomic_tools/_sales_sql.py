"""The statements that fetch a sales day: grouped in the source, or row by row, from the same terms."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import sqlalchemy as sa

from ._contract import MisconfiguredError
from ._sales import LocalDay
from ._sales_bounds import Stretch
from ._sales_dialect import Dialect, Expression, is_integer
from ._sales_source import Lines, Mapping, Reading
from ._sales_tables import Table
from ._sales_terms import Terms, literal

Facet = Literal["all", "order", "line", "count"]
"""What a statement's rows are for: everything; order totals; products only; numbers of orders only."""
RANK = "clockwright_rank"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One statement, what its columns are called, and the values of its parameters."""

    facet: Facet
    statement: sa.Select[Any]
    names: tuple[str, ...]
    packed: tuple[str, ...] = ()
    """The keys inside the column `key`, which are one text in a database that sorts one text faster."""
    window: LocalDay | None = None
    """The day that a SELECT was asked for; other statements may bring rows around the days."""
    parameters: AnyMapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Book:
    """The user's sales as FROM elements: the orders (or order lines) and, apart from them, the lines."""

    orders: Terms
    source: sa.FromClause
    lines: Terms | None = None
    joined: sa.FromClause | None = None
    distinct: bool = False
    """Whether no order id can occur twice among the rows that count."""

    @property
    def stamp(self) -> Expression:
        return self.orders.column(self.orders.reading.timestamp)

    @property
    def order_id(self) -> Expression:
        return self.orders.column(self.orders.reading.order_id)

    @property
    def whole_ids(self) -> bool:
        """Whether order ids are whole numbers throughout."""
        table = self.orders.table
        return self.distinct and is_integer(table.type_of(self.orders.reading.order_id))


def grouped(book: Book, stretch: Stretch, *, minutes: bool) -> Iterator[Fetch]:
    """The statements of aggregate mode for one stretch of time."""
    if book.lines is None or book.joined is None:
        yield _groups(book, "all", book.orders, stretch, minutes=minutes)
    else:
        yield _groups(
            book,
            "order",
            replace(book.orders, reading=_without_product(book.orders.reading)),
            stretch,
            minutes=minutes,
        )
        yield _groups(book, "line", book.lines, stretch, minutes=minutes)
    if not book.distinct:
        yield _order_ids(book, stretch, minutes=minutes)


def each_row(book: Book, stretch: Stretch) -> Iterator[Fetch]:
    """The statements of row mode for one stretch of time."""
    if book.lines is None or book.joined is None:
        yield _rows(book, "all", book.orders, stretch)
    else:
        yield _rows(book, "order", replace(book.orders, reading=_without_product(book.orders.reading)), stretch)
        yield _rows(book, "line", book.lines, stretch)


def _without_product(reading: Reading) -> Reading:
    return reading.model_copy(update={"product": None})


def _source(book: Book, facet: Facet) -> sa.FromClause:
    return book.joined if facet == "line" and book.joined is not None else book.source


def _keys(book: Book, terms: Terms, *, minutes: bool) -> dict[str, Expression]:
    optional = {"currency": terms.currency, "product": terms.product}
    return {"stamp": _bucket(book, terms.dialect, minutes=minutes), "what": terms.what} | {
        name: each for name, each in optional.items() if each is not None
    }


def _bucket(book: Book, dialect: Dialect, *, minutes: bool) -> Expression:
    """The stamp cut to its hour or minute; never NULL where keys are packed into one text."""
    reading = book.orders.reading
    kind = book.orders.table.type_of(reading.timestamp)
    if reading.timestamp_format is None and not reading.stored_as.startswith("epoch"):
        return dialect.bucket(book.stamp, kind, minutes)
    stamp = book.stamp - book.stamp % _span(reading, minutes=minutes) if is_integer(kind) else book.stamp
    return dialect.text(stamp, kind) if dialect.packs_keys else stamp


def _span(reading: Reading, *, minutes: bool) -> Expression:
    seconds = 60 if minutes else 3600
    return sa.literal_column(str(seconds if reading.stored_as == "epoch_seconds" else seconds * 1000))


def _groups(book: Book, facet: Facet, terms: Terms, stretch: Stretch, *, minutes: bool) -> Fetch:
    keys = _keys(book, terms, minutes=minutes)
    inside = tuple(keys) if terms.dialect.packs_keys else ()
    if inside:
        keys = {"key": packed(keys)}
    values = {"minor": terms.minor, "quantity": terms.quantity, "order_id": _example_id(book, terms, stretch)}
    columns = keys | {name: each for name, each in values.items() if each is not None}
    # what a row comes to is worked out before the rows are sorted by their keys: less has to be sorted
    rows = (
        sa.select(*(each.label(name) for name, each in columns.items()))
        .select_from(_source(book, facet))
        .where(stretch.condition)
    )
    each_row = (rows.limit(-1) if inside else rows).subquery("each_row")
    sums = [
        (sa.func.min if name == "order_id" else sa.func.sum)(each_row.c[name]).label(name)
        for name in columns
        if name in values
    ]
    statement = sa.select(*(each_row.c[name] for name in keys), sa.func.count().label("rows"), *sums)
    names = (*keys, "rows", *(name for name in columns if name in values))
    return Fetch(facet, statement.group_by(*(each_row.c[name] for name in keys)), names, inside)


def _example_id(book: Book, terms: Terms, stretch: Stretch) -> Expression | None:
    """The order id where a row may have to be pointed out; to sort it with every row costs a tenth more."""
    if not stretch.dated:
        return book.order_id
    if terms.rank is None and terms.all_numbers:
        return None
    return sa.case((terms.exceptional, book.order_id))


def packed(keys: dict[str, Expression]) -> Expression:
    """The keys as one text: `what` carries its own marks, so only the others need separators."""
    stamp, what, *rest = keys.values()
    text: Expression = stamp.op("||")(what)
    for n, each in enumerate(rest):
        text = text.op("||")(literal("\x1f")).op("||")(each) if n else text.op("||")(each)
    return text


def _order_ids(book: Book, stretch: Stretch, *, minutes: bool) -> Fetch:
    terms = replace(book.orders, reading=_without_product(book.orders.reading))
    keys = {"order_id": book.order_id, **_keys(book, terms, minutes=minutes)}
    labelled = [each.label(name) for name, each in {**keys, "rows": sa.func.count()}.items()]
    statement = sa.select(*labelled).select_from(book.source).where(stretch.condition)
    numbers: list[Expression] = [sa.literal_column(str(n + 1)) for n in range(len(keys))]
    return Fetch("count", statement.group_by(*numbers).order_by(numbers[0]), (*keys, "rows"))


def _rows(book: Book, facet: Facet, terms: Terms, stretch: Stretch) -> Fetch:
    optional = {"currency": terms.currency, "product": terms.product, "quantity": terms.quantity}
    columns = {"stamp": book.stamp, "what": terms.what, "minor": terms.minor, "order_id": book.order_id} | {
        name: each for name, each in optional.items() if each is not None
    }
    labelled = [each.label(name) for name, each in columns.items()]
    return Fetch(facet, sa.select(*labelled).select_from(_source(book, facet)).where(stretch.condition), tuple(columns))


def book_of(reading: Reading, table: Table, dialect: Dialect, near: Expression, lines: Table | None) -> Book:
    """The FROM elements for a reading; `near` says which rows the needed days can be in."""
    order_id = reading.order_id
    unique_by = reading.unique_by or ((order_id,) if reading.version is not None and isinstance(order_id, str) else ())
    if reading.version is not None and not unique_by:
        raise MisconfiguredError("version needs unique_by here", hint="name the columns that identify a row")
    if not unique_by:
        distinct = isinstance(order_id, str) and table.primary_key == (order_id,)
        return _with_lines(Book(Terms(table, reading, dialect), table.clause, distinct=distinct), reading, lines)
    ranked = _ranked(table, reading, unique_by, near)
    clause = ranked.clause
    terms = Terms(ranked, reading, dialect, clause.c[RANK])
    return _with_lines(Book(terms, clause, distinct=unique_by == (order_id,)), reading, lines)


def _ranked(table: Table, reading: Reading, unique_by: tuple[str, ...], near: Expression) -> Table:
    """The table with each row's place among the deliveries of the same row, the last version first.

    All deliveries of a row count, also those outside of the days: a later version may have moved it away.
    """
    names = [table.column(name) for name in unique_by]
    orders = [] if reading.version is None else [table.column(reading.version).desc().nulls_last()]
    ties = [column.desc().nulls_last() for column in table.clause.c if not isinstance(column.type, sa.JSON)]
    rank = sa.func.row_number().over(partition_by=names, order_by=[*orders, *ties]).label(RANK)
    touched = sa.select(*names).where(near)
    inside = sa.tuple_(*names).in_(touched) if len(names) > 1 else names[0].in_(touched)
    ranked = sa.select(*table.clause.c, rank).where(inside).subquery("ranked")
    return Table(table.name, ranked, table.types)


def _with_lines(book: Book, reading: Reading, lines: Table | None) -> Book:
    wanted = reading.lines if isinstance(reading, Mapping) else None
    if wanted is None or lines is None:
        return book
    on = lines.column(wanted.order_id) == book.order_id
    if book.orders.rank is not None:
        on = sa.and_(on, book.orders.rank == 1)
    terms = replace(book.orders, reading=_line_reading(reading, wanted), lines=lines)
    return replace(book, lines=terms, joined=lines.clause.join(book.source, on))


def _line_reading(reading: Reading, lines: Lines) -> Reading:
    found = {
        "amount": lines.amount,
        "quantity": lines.quantity,
        "unit_price": lines.unit_price,
        "product": lines.product,
    }
    return reading.model_copy(update=found)
