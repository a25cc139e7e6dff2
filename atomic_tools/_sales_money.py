"""Exact money: a currency's minor units, and amounts as whole minor units plus an exact rest."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache

from babel.core import get_global

REST = 1_000_000
"""One minor unit in the unit of a rest: what an exact source says below the minor unit is kept that far."""
LIMIT = Decimal(10) ** 16
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)
_CODE = re.compile(r"[A-Za-z]{3}", re.ASCII)


@cache
def digits(currency: str) -> int:
    """Decimal places of a currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD; 2 when nobody knows."""
    fractions = get_global("currency_fractions")
    return int(fractions.get(currency, fractions["DEFAULT"])[0])


@cache
def unusual_digits() -> dict[int, tuple[str, ...]]:
    """Number of decimal places -> the currencies that have it, for all that do not have two."""
    found: dict[int, list[str]] = {}
    for code, (places, *_) in sorted(get_global("currency_fractions").items()):
        if places != 2 and code != "DEFAULT":
            found.setdefault(int(places), []).append(code)
    return {places: tuple(codes) for places, codes in found.items()}


@cache
def currency_code(raw: str) -> str | None:
    """The currency's three capital letters, or None when the text is no currency code."""
    return raw.upper() if _CODE.fullmatch(raw) else None


def number(text: str) -> Decimal | None:
    """A decimal number as written with a point and without grouping; None for anything else."""
    stripped = text.strip()
    if not _NUMBER.fullmatch(stripped):
        return None
    value = Decimal(stripped)
    return value if abs(value) < LIMIT else None


def split(minor_units: Decimal) -> tuple[int, int]:
    """An exact amount in minor units -> whole minor units (half up) and the rest in millionths of one."""
    whole = int(minor_units.to_integral_value(ROUND_HALF_UP))
    return whole, int(_EXACT.multiply(minor_units - whole, Decimal(REST)).to_integral_value(ROUND_HALF_UP))


def minor_units(amount: Decimal, currency: str) -> Decimal:
    """A major amount in minor units, exactly."""
    return amount.scaleb(digits(currency), _EXACT)


def major(minor: int, rest: int, currency: str) -> Decimal:
    """Minor units and rest as an amount with exactly the currency's decimal places, rounded half up."""
    whole = Decimal(minor * REST + rest) / REST if rest else Decimal(minor)
    value = whole.to_integral_value(ROUND_HALF_UP).scaleb(-digits(currency))
    return value or abs(value)


def rounded(value: Decimal, currency: str) -> Decimal:
    """Half up to the currency's minor unit; zero never carries a sign."""
    result = value.quantize(Decimal(1).scaleb(-digits(currency)), ROUND_HALF_UP, _EXACT)
    return result or abs(result)
