"""A demo shop: eighteen months of invented orders in SQLite, with the oddities that real shops have.

Seasons and weekdays, refunds, cancellations, rows delivered twice, rows replaced by a later version, a closed
day, a giant order, names in many scripts, two currencies, and the zone's clock changes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from ._shop_days import LOCAL_CURRENCY, Order, has_outlier, is_closed, orders_of

MONTHS = 18
SALES, REFUNDS = ("paid", "shipped"), ("refunded",)
MAPPING: dict[str, Any] = {
    "table": "orders",
    "order_id": "order_id",
    "timestamp": "created_at",
    "stored_as": "utc",
    "amount": "total",
    "currency_column": "currency",
    "kind": {
        "by": "status",
        "column": "status",
        "sale": list(SALES),
        "refund": list(REFUNDS),
        "ignored": ["cancelled", "pending"],
    },
    "version": "updated_at",
    "lines": {
        "table": "order_lines",
        "order_id": "order_id",
        "product": "product",
        "quantity": "quantity",
        "unit_price": "unit_price",
    },
}
"""How `db_query_sales` reads this shop: its input `mapping`."""

_TABLES = """
CREATE TABLE IF NOT EXISTS shop (seed INTEGER NOT NULL, timezone TEXT NOT NULL, newest TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS orders (
    delivery INTEGER PRIMARY KEY, order_id TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    status TEXT NOT NULL, currency TEXT NOT NULL, total NUMERIC NOT NULL);
CREATE TABLE IF NOT EXISTS order_lines (
    order_id TEXT NOT NULL, product TEXT NOT NULL, quantity INTEGER NOT NULL, unit_price NUMERIC NOT NULL);
"""
_INSERT_ORDER = (
    "INSERT INTO orders (order_id, created_at, updated_at, status, currency, total) VALUES (?, ?, ?, ?, ?, ?)"
)
_INDEXES = """
CREATE INDEX IF NOT EXISTS orders_created ON orders (created_at);
CREATE INDEX IF NOT EXISTS orders_id ON orders (order_id);
CREATE INDEX IF NOT EXISTS lines_order ON order_lines (order_id);
"""


@dataclass(frozen=True, slots=True)
class Expected:
    """One currency's true figures of a day, worked out without any database."""

    orders: int
    gross: Decimal
    refunds: Decimal
    products: dict[str, Decimal]

    @property
    def net(self) -> Decimal:
        return self.gross + self.refunds


def build_shop(path: Path, *, until: date, timezone: str, seed: int = 1) -> None:
    """Make the shop's file, or add the days that it lacks; the same arguments give the same content.

    A day depends on seed and date alone, except that the newest is always open and ordinary. Raises
    ValueError when the file is a shop of another seed or zone.
    """
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")  # made again in no time; not worth a flush
        connection.executescript(_TABLES)
        first = _first_missing(connection, until, timezone, seed)
        days = [first + timedelta(n) for n in range((until - first).days + 1)]
        _insert(
            connection,
            (order for day in days for order in orders_of(day, timezone, seed, newest=day == until)),
        )
        connection.executescript(_INDEXES)
        if days:
            connection.execute("DELETE FROM shop")
            connection.execute("INSERT INTO shop VALUES (?, ?, ?)", (seed, timezone, until.isoformat()))


def _first_missing(connection: sqlite3.Connection, until: date, timezone: str, seed: int) -> date:
    row = connection.execute("SELECT seed, timezone, newest FROM shop").fetchone()
    if row is None:
        months = until.year * 12 + until.month - 1 - MONTHS
        return date(months // 12, months % 12 + 1, 1)
    if tuple(row[:2]) != (seed, timezone):
        raise ValueError(f"this file is the shop of seed {row[0]} in {row[1]}; choose another file")
    newest = date.fromisoformat(row[2])
    if newest < until and (is_closed(newest) or has_outlier(newest)):
        _delete(connection, newest)
        return newest
    return newest + timedelta(1)


def _delete(connection: sqlite3.Connection, day: date) -> None:
    for table in ("orders", "order_lines"):
        for begin in ("", "R"):
            connection.execute(f"DELETE FROM {table} WHERE order_id LIKE ?", (f"{begin}{day:%y%m%d}-%",))  # noqa: S608 - our own names


def _insert(connection: sqlite3.Connection, orders: Iterable[Order]) -> None:
    made = list(orders)
    rows = (row for order in made for row in _deliveries(order))
    connection.executemany(_INSERT_ORDER, rows)
    lines = (
        (order.order_id, line.product, line.quantity, _stored(line.price, order.currency))
        for order in made
        for line in order.lines
    )
    connection.executemany("INSERT INTO order_lines VALUES (?, ?, ?, ?)", lines)


def _deliveries(order: Order) -> Iterator[tuple[str, str, str, str, str, float]]:
    created, updated = _utc(order.at), _utc(order.at + timedelta(minutes=30))
    if order.revised:
        yield (
            order.order_id,
            created,
            created,
            "pending",
            order.currency,
            _stored(order.lines[0].price, order.currency),
        )
    for _ in range(order.deliveries):
        yield (
            order.order_id,
            created,
            updated,
            order.status,
            order.currency,
            _stored(order.total, order.currency),
        )


def _utc(instant: datetime) -> str:
    return instant.isoformat(" ")[:19]


def _stored(minor: int, currency: str) -> float:
    return minor / 100 if currency == LOCAL_CURRENCY else minor


def expected_figures(day: date, *, timezone: str, seed: int = 1, newest: bool = False) -> dict[str, Expected]:
    """What a right report of that day says, by currency; empty for a day without sales and refunds."""
    booked = [order for order in orders_of(day, timezone, seed, newest=newest) if order.status in SALES + REFUNDS]
    currencies = sorted({order.currency for order in booked})
    return {code: _expected([order for order in booked if order.currency == code], code) for code in currencies}


def _expected(booked: list[Order], currency: str) -> Expected:
    products: Counter[str] = Counter()
    for order in booked:
        for line in order.lines:
            products[line.product] += line.quantity * line.price
    sales = [order.total for order in booked if order.status in SALES]
    refunds = [order.total for order in booked if order.status in REFUNDS]
    return Expected(
        orders=len(sales),
        gross=_money(sum(sales), currency),
        refunds=_money(sum(refunds), currency),
        products={name: _money(minor, currency) for name, minor in products.items()},
    )


def _money(minor: int, currency: str) -> Decimal:
    return Decimal(minor) / 100 if currency == LOCAL_CURRENCY else Decimal(minor)
