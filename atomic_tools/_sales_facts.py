"""Turns read rows into the artifact's columns, and counts the orders where rows are not orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from ._sales_artifact import FACETS, KINDS, MEASURES
from ._sales_batch import Batch, Mask
from ._sales_sql import Facet
from ._sales_terms import ADJUSTMENT, FREE, REFUND, SALE
from ._sales_window import Windows

_KIND_OF = {SALE: 0, FREE: 0, REFUND: 1, ADJUSTMENT: 2}
OrderRow = tuple[Any, int, str, int]
"""Order id, index of the day, currency, start of the hour."""


def single(columns: pa.Schema, facet: Facet, batch: Batch, kept: Mask) -> pa.Table:
    """The rows that count, each with its own instant and order id."""
    ids = pick(batch.raw["order_id"], kept)
    if not pa.types.is_integer(columns.field("order_id").type):
        ids = [each if each is None or isinstance(each, str) else str(each) for each in ids]
    return _table(columns, facet, batch, kept, {"at": batch.at[kept], "order_id": ids})


def hourly(columns: pa.Schema, facet: Facet, batch: Batch, kept: Mask, windows: Windows, *, distinct: bool) -> pa.Table:
    """The rows that count, added up by hour; with the orders where each row is one (else `order_counts`)."""
    at = windows.hour_of(batch.at[kept])
    table = _table(
        columns,
        facet,
        batch,
        kept,
        {"at": at, "order_id": [None] * len(at)} | ({} if distinct else {"orders": np.zeros(len(at), np.int64)}),
    )
    keys = [name for name in columns.names if name not in MEASURES]
    summed = table.group_by(keys).aggregate([(name, "sum") for name in MEASURES])
    return (
        summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])
        .select(columns.names)
        .cast(columns)
    )


def _table(columns: pa.Schema, facet: Facet, batch: Batch, kept: Mask, own: dict[str, Any]) -> pa.Table:
    letters, rows = batch.letters[kept], batch.rows[kept]
    kinds = np.select([letters == letter for letter in _KIND_OF], list(_KIND_OF.values()), 0)
    products = pick(batch.raw["product"], kept) if "product" in batch.raw else [None] * len(rows)
    makes_order = (letters == SALE) & (facet in ("all", "order"))
    values = {
        "facet": _named(np.full(len(rows), FACETS.index(facet)), FACETS),
        "kind": _named(kinds, KINDS),
        "currency": _named(batch.currency[kept], [code or "" for code in batch.codes]),
        "product": pa.array(products, pa.string()).dictionary_encode(),
        "orders": np.where(makes_order, rows, 0),
        "quantity": batch.quantity[kept],
        "minor": batch.minor[kept],
        "rest": batch.rest[kept],
        "rows": rows,
        **own,
    }
    return pa.table([_array(values[field.name], field.type) for field in columns], schema=columns)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def _named(index: Any, names: Iterable[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), pa.array(names, pa.string()))


def pick(values: Any, kept: Mask) -> Any:
    """The values of the rows that are kept."""
    return values if kept.all() else [value for value, keep in zip(values, kept, strict=True) if keep]


def order_rows(batch: Batch, kept: Mask, windows: Windows) -> Iterator[OrderRow]:
    """The sale rows of a batch that is sorted by order id."""
    sales = np.flatnonzero(kept & (batch.letters == SALE))
    days, hours = windows.day_of(batch.at[sales]), windows.hour_of(batch.at[sales])
    for row, day, hour in zip(sales.tolist(), days, hours, strict=True):
        yield batch.raw["order_id"][row], int(day), str(batch.codes[batch.currency[row]]), int(hour)


def order_counts(columns: pa.Schema, rows: Iterable[OrderRow]) -> pa.Table:
    """Orders by the hour of their first sale of the day, from rows sorted by order id; flat in memory."""
    found: Counter[tuple[int, str]] = Counter()
    for order_id, group in groupby(rows, itemgetter(0)):
        first: dict[tuple[int, str], int] = {}
        for _, day, currency, hour in group:
            first[day, currency] = min(hour, first.get((day, currency), hour))
        if order_id is not None:
            found.update((hour, currency) for (_, currency), hour in first.items())
    return _counted(columns, found)


def _counted(columns: pa.Schema, found: Counter[tuple[int, str]]) -> pa.Table:
    rows = [
        {"at": hour, "facet": "count", "kind": "sale", "currency": currency, "orders": orders}
        | dict.fromkeys(("quantity", "minor", "rest", "rows"), 0)
        for (hour, currency), orders in sorted(found.items())
    ]
    return pa.Table.from_pylist(rows, schema=columns)
