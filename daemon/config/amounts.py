"""Amounts of money as people write them; exact from the file on."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any


def amount(written: Any) -> Decimal:
    """Takes 0.15, 2 or "0.15". Raises ValueError with a hint in its message."""
    if isinstance(written, Decimal):
        return written
    try:
        # A float's shortest text is what stood in the file; no list and no truth value reads as a number.
        value = Decimal(str(written).strip())
    except InvalidOperation:
        raise ValueError('not an amount; write for example 0.15 or "0.15"') from None
    if not value.is_finite() or value < 0:
        raise ValueError("an amount cannot be negative or without end")
    return value
