"""Minor units, exact sums and rounding."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tools._sales_money import currency_code, digits, major, minor_units, number, split


@pytest.mark.parametrize(("currency", "places"), [("EUR", 2), ("JPY", 0), ("KWD", 3), ("XXQ", 2)])
def test_a_currency_has_its_own_number_of_places(currency: str, places: int) -> None:
    assert digits(currency) == places


@given(st.lists(st.decimals(min_value=-(10**11), max_value=10**11, places=4), max_size=20))
def test_split_amounts_add_up_exactly(amounts: list[Decimal]) -> None:
    parts = [split(minor_units(amount, "EUR")) for amount in amounts]

    total = Decimal(sum(whole * 10**6 + rest for whole, rest in parts)) / 10**8

    assert total == sum(amounts, Decimal(0))


@pytest.mark.parametrize(
    ("minor", "rest", "shown"),
    [(30, 0, "0.30"), (200, 1_000_000, "2.01"), (0, -100_000, "0.00"), (5, 0, "0.05")],
)
def test_an_amount_is_shown_with_exactly_the_currencys_places(minor: int, rest: int, shown: str) -> None:
    assert str(major(minor, rest, "EUR")) == shown


@pytest.mark.parametrize("text", ["", "abc", "NaN", "Infinity", "1,234.50", "1_000", "0x10", "1e99", "١٢"])
def test_text_that_is_no_plain_number_is_refused(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(("raw", "code"), [("EUR", "EUR"), ("eur", "EUR"), ("€", None), ("", None), ("EURO", None)])
def test_a_currency_is_a_three_letter_code(raw: str, code: str | None) -> None:
    assert currency_code(raw) == code
