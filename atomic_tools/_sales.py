"""The sales vocabulary that the five report tools share: a day, a currency's figures, a comparison."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LocalDay(_Frozen):
    """One local calendar day as a half-open interval of instants: 23 to 25 hours on change days."""

    date: date
    timezone: str
    start: datetime
    end: datetime


class ProductSales(_Frozen):
    """What one product brought in; refunds of it are already taken off."""

    product: str
    amount: Decimal
    quantity: Decimal


class HourSales(_Frozen):
    """One elapsed local hour. `label` is the wall time; in a doubled hour it carries the offset as well."""

    label: str
    start: datetime
    amount: Decimal
    orders: int


class Comparison(_Frozen):
    """The day's net against a base. `base` is None when there is none; `reason` then says why."""

    against: Literal["previous_day", "same_weekday_last_week", "trailing_four_same_weekdays"]
    base: Decimal | None
    difference: Decimal | None
    percent: Decimal | None
    reason: str | None = None
    by_hour: tuple[Decimal, ...] = ()
    """The base by wall-clock hour 0 to 23, for the chart's comparison line; empty where it is not known."""


class CurrencyKpis(_Frozen):
    """One currency's figures; amounts of two currencies are never added together."""

    currency: str
    orders: int = Field(ge=0)
    gross: Decimal
    refunds: Decimal
    """Zero or negative."""
    adjustments: Decimal
    """Bookings that are neither a sale nor a refund (bad debt, manual corrections)."""
    net: Decimal
    """gross + refunds + adjustments."""
    average_order_value: Decimal | None
    """gross / orders; None without orders."""
    average_of: Literal["gross", "net"] = "gross"
    """What is divided by the orders, where the job asked for net / orders instead."""
    top_products: tuple[ProductSales, ...]
    by_hour: tuple[HourSales, ...]
    comparisons: tuple[Comparison, ...]


class Finding(_Frozen):
    """Something the reader must know about the data: what was left out or merged, how often, examples."""

    code: str
    count: int = Field(ge=0)
    message: str
    examples: tuple[str, ...] = ()


class SalesKpis(_Frozen):
    """The daily figures by currency, the main one (most orders) first; none on a day without orders."""

    day: LocalDay
    no_data: bool
    currencies: tuple[CurrencyKpis, ...]
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    """What is absent and why, in words for the report."""
    as_of: datetime
