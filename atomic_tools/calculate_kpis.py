"""Compute the daily sales figures, currency by currency, from what `db_query_sales` fetched.

Orders are distinct orders with a sale (a refund is no order); net is gross plus refunds plus adjustments; the
average order value is gross / orders unless `average_of` says net, rounded half up to the minor unit. The
amount of an hour is its net. Products rank by amount, then quantity, then name in code point order.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from atomic_tools import Artifact, BadDataError, ToolContext, ToolInput, ToolOutput, tool

from ._kpi_comparisons import comparisons
from ._kpi_figures import Figures, currency_kpis
from ._kpi_frames import Frames, load
from ._sales import CurrencyKpis, Finding, SalesKpis
from ._sales_artifact import About, about
from ._sales_day import days_needed, local_day
from ._sales_window import Windows


class Input(ToolInput):
    """The data, and what to make of it."""

    data: Artifact
    """The artifact of `db_query_sales`."""
    top: Annotated[int, Field(ge=1, le=100)] = 10
    """How many products to list."""
    average_of: Literal["gross", "net"] = "gross"
    """What the average order value divides by the orders."""


class Output(ToolOutput):
    """The figures."""

    kpis: SalesKpis

    def summary(self) -> str:
        """Each currency's net, orders and change against the previous day."""
        day = f"{self.kpis.day.date}: "
        if self.kpis.no_data:
            return f"{day}no sales"
        return (day + "; ".join(_words(each) for each in self.kpis.currencies))[:200]


def _words(each: CurrencyKpis) -> str:
    percent = each.comparisons[0].percent
    change = "" if percent is None else f", {percent:+}% on the previous day"
    return f"net {each.net} {each.currency} from {each.orders} orders{change}"


@tool(effect="none", timeout=timedelta(minutes=5))
def calculate_kpis(request: Input, context: ToolContext) -> Output:
    """Compute the daily sales figures."""
    path = context.path(request.data)
    described = about(path)
    if described is None:
        raise BadDataError(f"{request.data.name} was not made by db_query_sales", hint="pass its output's `data`")
    day = local_day(described.date, described.timezone)
    windows = Windows(days_needed(day.date, day.timezone), day)
    frames = load(path, windows, distinct=described.distinct_orders)
    currencies = _currencies(request, frames, windows)
    return Output(
        kpis=SalesKpis(
            day=day,
            no_data=not currencies,
            currencies=currencies,
            findings=(*described.findings, *_unnamed(frames)),
            missing=_missing(described, frames, currencies),
            as_of=described.as_of,
        )
    )


def _currencies(request: Input, frames: Frames, windows: Windows) -> tuple[CurrencyKpis, ...]:
    if windows.report not in windows.days:
        return ()
    today = windows.days.index(windows.report)
    codes = sorted(set(frames.money["currency"][frames.money["day"] == today]))
    figures = [Figures(frames, windows, str(code)) for code in codes]
    found = [currency_kpis(each, comparisons(each), request.top, request.average_of) for each in figures]
    return tuple(sorted(found, key=lambda each: (-each.orders, each.currency)))


def _unnamed(frames: Frames) -> tuple[Finding, ...]:
    rows = frames.products[frames.products["product"] == ""]
    count = int(sum(map(int, rows["rows"])))
    if not count or len(rows) == len(frames.products):
        return ()  # a source without products at all has nothing to miss
    message = "rows have no product name; they are in the totals, but not among the products"
    return (Finding(code="unnamed_product", count=count, message=message),)


def _missing(described: About, frames: Frames, currencies: tuple[CurrencyKpis, ...]) -> tuple[str, ...]:
    if not currencies:
        return (f"no sales on {described.date.isoformat()} ({described.timezone})",)
    absent = sorted(set(map(str, frames.money["currency"])) - {each.currency for each in currencies})
    return tuple(f"no sales in {code} on {described.date.isoformat()}" for code in absent)
