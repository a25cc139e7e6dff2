"""Reads the artifact into three small pandas tables; batch by batch, so memory stays flat.

Money is in whole numbers throughout: int64 where the sums surely fit, Python's own integers elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa

from ._kpi_products import product_name
from ._sales_artifact import MEASURES, batches
from ._sales_window import Windows

SAFE = 2**62
_BY = ["day", "hour", "currency", "kind"]
_COLUMNS = ["at", "facet", "kind", "currency", "product", "orders", "quantity", "minor", "rest", "rows"]


@dataclass(frozen=True)
class Frames:
    """`money` by day, hour, currency, kind; of the day, `products` by currency and `orders` by hour."""

    money: pd.DataFrame
    products: pd.DataFrame
    orders: pd.DataFrame


def summed(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Group by `keys` and add the measures up exactly."""
    measures = [name for name in frame.columns if name not in keys]
    largest = max((int(frame[name].abs().max()) for name in measures if len(frame)), default=0)
    if largest * max(len(frame), 1) >= SAFE:
        frame = frame.astype(dict.fromkeys(measures, object))
    added: pd.DataFrame = frame.groupby(keys, observed=True, sort=True, as_index=False)[measures].sum()
    return added


def load(path: Path, windows: Windows, *, distinct: bool) -> Frames:
    """The three tables of an artifact; `distinct` as its description says."""
    money, products, orders = [], [], []
    for batch in batches(path, _COLUMNS if distinct else [*_COLUMNS, "order_id"]):
        frame = _frame(batch, windows)
        money.append(_money(frame))
        today = frame[frame["today"]]
        products.append(_products(today))
        orders.append(_orders(today, distinct=distinct))
    return Frames(
        summed(pd.concat(money), _BY) if money else _empty(*_BY),
        _named(pd.concat(products)) if products else _empty("currency", "product"),
        _counted(pd.concat(orders), distinct=distinct) if orders else _empty("currency", "hour"),
    )


def _empty(*keys: str) -> pd.DataFrame:
    return pd.DataFrame(columns=[*keys, *MEASURES])


def _frame(batch: pa.RecordBatch, windows: Windows) -> pd.DataFrame:
    at = batch.column("at").cast(pa.int64()).to_numpy()
    frame: pd.DataFrame = pa.Table.from_batches([batch]).drop_columns(["at"]).to_pandas()
    frame["day"] = windows.day_of(at)
    frame["hour"] = windows.hour_of(at)
    frame["today"] = windows.inside(at, windows.report)
    return frame


def _money(frame: pd.DataFrame) -> pd.DataFrame:
    used = frame[frame["facet"].isin(["all", "order"])]
    return _plain(summed(used[[*_BY, "minor", "rest", "rows"]], _BY))


def _products(today: pd.DataFrame) -> pd.DataFrame:
    used = today[today["facet"].isin(["all", "line"]) & (today["kind"] != "adjustment")]
    keys = ["currency", "product"]
    if used["product"].hasnans:
        names = used["product"].cat
        used = used.assign(product=names.set_categories(names.categories.union([""])).fillna(""))
    return _plain(summed(used[[*keys, "quantity", "minor", "rest", "rows"]], keys))


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    return summed(frame.assign(product=frame["product"].map(product_name)), ["currency", "product"])


def _orders(today: pd.DataFrame, *, distinct: bool) -> pd.DataFrame:
    if distinct:
        return _plain(summed(today[["currency", "hour", "orders"]], ["currency", "hour"]))
    return _first_hours(today[today["orders"] > 0])


def _first_hours(sales: pd.DataFrame) -> pd.DataFrame:
    """Each order once, in the hour of its first sale; a row without order id makes no order."""
    return sales.groupby(["currency", "order_id"], observed=True)[["hour"]].min().reset_index()


def _counted(frame: pd.DataFrame, *, distinct: bool) -> pd.DataFrame:
    if distinct:
        return summed(frame, ["currency", "hour"])
    first = _first_hours(frame.astype({"currency": "category"}))
    return _plain(first.groupby(["currency", "hour"], observed=True).size().reset_index(name="orders"))


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Names as text: categories of two batches would not fit together."""
    names = [name for name in ("currency", "kind", "product") if name in frame]
    return frame.astype(dict.fromkeys(names, object))
