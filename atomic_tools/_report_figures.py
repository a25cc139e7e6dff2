"""The few figures that a report carries for the next one, so that a changed day is marked as a correction."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, ValidationError

from atomic_tools._report_numbers import rounded
from atomic_tools._sales import SalesKpis

_MARK = re.compile(r"<!-- clockwright:figures (\{.*\}) -->\s*\Z")


class Headline(BaseModel):
    """One currency's net and number of orders."""

    model_config = ConfigDict(frozen=True)

    net: Decimal = Decimal(0)
    orders: int = 0


class Figures(BaseModel):
    """What a report of one day said, by currency."""

    model_config = ConfigDict(frozen=True)

    day: date
    currencies: dict[str, Headline]


class Change(BaseModel):
    """One currency whose figures differ from what an earlier report said."""

    model_config = ConfigDict(frozen=True)

    currency: str
    before: Headline
    after: Headline


def figures_of(kpis: SalesKpis) -> Figures:
    """The figures as they will be printed: rounded to minor units."""
    return Figures(
        day=kpis.day.date,
        currencies={
            each.currency: Headline(net=rounded(each.net, each.currency), orders=each.orders)
            for each in kpis.currencies
        },
    )


def mark(figures: Figures) -> str:
    """A comment at the end of a Markdown report that `read_mark` finds again; readers do not see it."""
    content = json.dumps(figures.model_dump(mode="json"), sort_keys=True).replace(">", "\\u003e")
    return f"<!-- clockwright:figures {content} -->"


def read_mark(report: str) -> Figures | None:
    """The figures that an earlier report carried, or None where it carries none that can be read."""
    found = _MARK.search(report)
    try:
        return Figures.model_validate_json(found.group(1)) if found else None
    except ValidationError:
        return None


def changes(before: Figures, after: Figures) -> tuple[Change, ...]:
    """The currencies that differ, by code. A currency that a side lacks had no orders there."""
    codes = sorted(before.currencies.keys() | after.currencies.keys())
    pairs = ((code, _of(before, code), _of(after, code)) for code in codes)
    return tuple(Change(currency=code, before=old, after=new) for code, old, new in pairs if old != new)


def _of(figures: Figures, code: str) -> Headline:
    return figures.currencies.get(code, Headline())
