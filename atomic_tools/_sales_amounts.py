"""The amounts that SQL left to the tool: read from their text, exactly, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ._sales_money import minor_units, number, split
from ._sales_terms import BY_SIGN, FREE, REFUND, SALE

MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Amount:
    """What one odd text says of one row: its letter, minor units, rest and millionths of a piece."""

    letter: str
    minor: int
    rest: int
    quantity: int | None


def odd_amount(letter: str, raw: str, currency: str, *, in_minor: bool) -> Amount | None:
    """Read `12.50`, or `3|12.50` for quantity and unit price; None when that is no number."""
    factors = [number(text) for text in raw.split("|")]
    if any(factor is None for factor in factors):
        return None
    value = Decimal(1)
    for factor in factors:
        value *= factor or Decimal(0)
    letter = _decided(letter, value, [factor or Decimal(0) for factor in factors])
    value = -abs(value) if letter == REFUND else value
    minor, rest = split(value if in_minor else minor_units(value, currency))
    quantity = int((factors[0] or Decimal(0)) * MICRO) if len(factors) > 1 else None
    return Amount(letter, minor, rest, quantity)


def _decided(letter: str, value: Decimal, factors: list[Decimal]) -> str:
    if letter == BY_SIGN:
        letter = REFUND if value < 0 else SALE
    if letter == SALE and len(factors) > 1 and not all(factor > 0 for factor in factors):
        return FREE
    return letter
