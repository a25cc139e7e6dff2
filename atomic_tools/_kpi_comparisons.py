"""The day's net against earlier days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from ._kpi_figures import Figures
from ._sales import Comparison
from ._sales_day import WEEK
from ._sales_money import rounded

Against = Literal["previous_day", "same_weekday_last_week", "trailing_four_same_weekdays"]
TENTH = Decimal("0.1")


def bases(day: date) -> dict[Against, tuple[date, ...]]:
    """Each comparison and the dates that its base is made of."""
    return {
        "previous_day": (day - timedelta(1),),
        "same_weekday_last_week": (day - WEEK,),
        "trailing_four_same_weekdays": tuple(day - weeks * WEEK for weeks in range(1, 5)),
    }


def comparisons(figures: Figures) -> tuple[Comparison, ...]:
    """All comparisons of one currency. A base of several days is the mean of those that have any sales."""
    day = figures.windows.report.date
    return tuple(_compared(figures, against, dates) for against, dates in bases(day).items())


def _compared(figures: Figures, against: Against, dates: Sequence[date]) -> Comparison:
    days = [index for index in _with_sales(figures) if figures.windows.days[index].date in dates]
    if not days:
        words = f"no base: no sales on {' or '.join(each.isoformat() for each in sorted(dates))}"
        return Comparison(against=against, base=None, difference=None, percent=None, reason=words)
    base = _mean(figures, [figures.totals(each).net for each in days])
    hours = [
        _mean(figures, list(each))
        for each in zip(*(figures.by_wall_hour(each) for each in days), strict=True)
    ]
    difference = figures.totals(figures.today).net - base
    return Comparison(
        against=against,
        base=base,
        difference=difference,
        percent=_percent(difference, base),
        reason=None if base else "no base: the base is zero",
        by_hour=tuple(hours),
    )


def _with_sales(figures: Figures) -> list[int]:
    return sorted({int(day) for day in figures.frames.money["day"]})


def _mean(figures: Figures, values: list[Decimal]) -> Decimal:
    return rounded(sum(values, Decimal(0)) / len(values), figures.currency)


def _percent(difference: Decimal, base: Decimal) -> Decimal | None:
    """Of the base's size, so that more is positive also against a negative base."""
    return (difference / abs(base) * 100).quantize(TENTH, ROUND_HALF_UP) if base else None
