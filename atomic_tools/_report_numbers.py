"""Money, counts, percentages and dates as a reader of one locale writes them; nothing here rounds twice."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import Annotated
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import (
    format_compact_currency,
    format_currency,
    format_decimal,
    get_currency_precision,
)
from pydantic import AfterValidator

_PRECISION = 60
"""Digits: more than any sum of money has, so that formatting never fails on a large one."""


def _known_locale(name: str) -> str:
    try:
        return str(Locale.parse(name.replace("-", "_")))
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"unknown locale {name!r}; write language and country, as in en_US or zh_CN") from error


LocaleName = Annotated[str, AfterValidator(_known_locale)]
"""A locale that Babel knows, such as `en_US`; a hyphen is accepted."""


def rounded(amount: Decimal, currency: str) -> Decimal:
    """`amount` in the currency's minor units (0, 2 or 3 places), half to even, without a negative zero."""
    with localcontext(prec=_PRECISION):
        unit = Decimal(1).scaleb(-get_currency_precision(currency))
        return amount.quantize(unit, rounding=ROUND_HALF_EVEN) + 0


def money(amount: Decimal, currency: str, locale: str) -> str:
    """The amount with its currency: "$1,234.50"."""
    with localcontext(prec=_PRECISION):
        return str(format_currency(rounded(amount, currency), currency, locale=locale))


def signed_money(amount: Decimal, currency: str, locale: str) -> str:
    """As `money`, with a plus before a gain."""
    sign = "+" if rounded(amount, currency) > 0 else ""
    return sign + money(amount, currency, locale)


def short_money(amount: Decimal, currency: str, locale: str) -> str:
    """The amount to one place of thousands or millions, for an axis: "$1.5K"."""
    with localcontext(prec=_PRECISION):
        return str(format_compact_currency(amount + 0, currency, locale=locale, fraction_digits=1))


def percent(value: Decimal, locale: str) -> str:
    """A percentage (4.25 means 4.25 %) to one place."""
    with localcontext(prec=_PRECISION):
        tenth = value.quantize(Decimal("0.1"), rounding=ROUND_HALF_EVEN) + 0
        shape = re.sub(r"##0(?!\.)", "##0.0", Locale.parse(locale).percent_formats[None].pattern)
        return str(format_decimal(tenth / 100, format=shape, locale=locale))


def signed_percent(value: Decimal, locale: str) -> str:
    """As `percent`, with a plus before a gain."""
    return ("+" if value >= Decimal("0.05") else "") + percent(value, locale)


def number(value: Decimal | int, locale: str) -> str:
    """A count or quantity with grouping, to at most three places."""
    with localcontext(prec=_PRECISION):
        return str(format_decimal(Decimal(value) + 0, locale=locale))


def long_date(day: date, locale: str) -> str:
    """ "Tuesday, March 10, 2026"."""
    return str(format_date(day, "full", locale=locale))


def short_date(day: date, locale: str) -> str:
    """ "Mar 10, 2026"."""
    return str(format_date(day, "medium", locale=locale))


def stamp(moment: datetime, timezone: str) -> str:
    """An instant on the zone's wall clock with its offset: "2026-03-11 10:00 +09:00"."""
    local = moment.astimezone(ZoneInfo(timezone))
    return f"{local:%Y-%m-%d %H:%M} {local.isoformat()[-6:]}"
