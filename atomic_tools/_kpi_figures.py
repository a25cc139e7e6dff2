"""From the small tables to one currency's figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Literal

import pandas as pd

from ._kpi_frames import Frames
from ._sales import Comparison, CurrencyKpis, HourSales, ProductSales
from ._sales_day import hour_label, hour_starts, zone
from ._sales_money import REST, major, rounded
from ._sales_stamps import micros_of
from ._sales_window import Windows

MICRO = 1_000_000
KINDS = ("sale", "refund", "adjustment")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Totals:
    """One currency on one day, each rounded once; `net` is the sum of what is shown."""

    gross: Decimal
    refunds: Decimal
    adjustments: Decimal

    @property
    def net(self) -> Decimal:
        return self.gross + self.refunds + self.adjustments


@dataclass(frozen=True)
class Figures:
    """Everything about one currency."""

    frames: Frames
    windows: Windows
    currency: str

    @cached_property
    def _money(self) -> pd.DataFrame:
        return self.frames.money[self.frames.money["currency"] == self.currency]

    def totals(self, day: int) -> Totals:
        """The totals of the day with that index."""
        rows = self._money[self._money["day"] == day]
        return Totals(*(self._amount(rows[rows["kind"] == kind]) for kind in KINDS))

    def _amount(self, rows: pd.DataFrame) -> Decimal:
        return major(int(sum(map(int, rows["minor"]))), int(sum(map(int, rows["rest"]))), self.currency)

    @cached_property
    def today(self) -> int:
        return self.windows.days.index(self.windows.report)

    @cached_property
    def orders_by_hour(self) -> dict[int, int]:
        """Start of the hour in microseconds -> orders."""
        orders = self.frames.orders[self.frames.orders["currency"] == self.currency]
        return {int(hour): int(count) for hour, count in zip(orders["hour"], orders["orders"], strict=True)}

    def by_hour(self) -> tuple[HourSales, ...]:
        """Net and orders of every hour of the day, also of those without any."""
        amounts = self._hours(self.today)
        day = self.windows.report
        return tuple(
            HourSales(
                label=hour_label(start, day.timezone),
                start=start,
                amount=amounts.get(micros_of(start), rounded(Decimal(0), self.currency)),
                orders=self.orders_by_hour.get(micros_of(start), 0),
            )
            for start in hour_starts(day)
        )

    def _hours(self, day: int) -> dict[int, Decimal]:
        rows = self._money[self._money["day"] == day]
        return {int(str(hour)): self._amount(group) for hour, group in rows.groupby("hour")}

    def by_wall_hour(self, day: int) -> tuple[Decimal, ...]:
        """Net by wall-clock hour 0 to 23; a doubled hour adds up, a skipped one is zero."""
        hours = [rounded(Decimal(0), self.currency)] * 24
        for start, amount in self._hours(day).items():
            wall = (_EPOCH + timedelta(microseconds=start)).astimezone(zone(self.windows.report.timezone))
            hours[wall.hour] += amount
        return tuple(hours)

    def top_products(self, count: int) -> tuple[ProductSales, ...]:
        """By amount, then quantity, both descending, then by name in code point order."""
        rows = self.frames.products
        rows = rows[(rows["currency"] == self.currency) & (rows["product"] != "")]
        found = zip(
            rows["product"],
            map(int, rows["minor"]),
            map(int, rows["rest"]),
            map(int, rows["quantity"]),
            strict=True,
        )
        ordered = sorted(found, key=lambda each: (-(each[1] * REST + each[2]), -each[3], each[0]))
        return tuple(
            ProductSales(product=name, amount=major(minor, rest, self.currency), quantity=_pieces(quantity))
            for name, minor, rest, quantity in ordered[:count]
        )


def _pieces(micro: int) -> Decimal:
    value = (Decimal(micro) / MICRO).normalize()
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value


def currency_kpis(
    figures: Figures, comparisons: tuple[Comparison, ...], top: int, average_of: Literal["gross", "net"]
) -> CurrencyKpis:
    """The figures of one currency."""
    totals = figures.totals(figures.today)
    orders = sum(figures.orders_by_hour.values())
    dividend = totals.gross if average_of == "gross" else totals.net
    return CurrencyKpis(
        currency=figures.currency,
        orders=orders,
        gross=totals.gross,
        refunds=totals.refunds,
        adjustments=totals.adjustments,
        net=totals.net,
        average_order_value=rounded(dividend / orders, figures.currency) if orders else None,
        average_of=average_of,
        top_products=figures.top_products(top),
        by_hour=figures.by_hour(),
        comparisons=comparisons,
    )
