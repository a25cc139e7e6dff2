"""Money, percentages and dates as a reader writes them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from atomic_tools._report_numbers import money, number, percent, rounded, signed_money, signed_percent

CB_019 = {
    "a": (["0.10", "0.20"], "0.30", {"0.15"}),
    "b": (["0.10"] * 1000, "100.00", {"0.10"}),
    "c": (["10.01", "20"], "30.01", {"15.00", "15.01"}),
    "d": (["10.00", "0.00", "0.00"], "10.00", {"3.33"}),
    "e": (["1.005", "1.005"], "2.01", {"1.00", "1.01"}),
    "f": (["99999999999.99", "0.01"], "100,000,000,000.00", None),
    "g": (["-0.001", "0.00"], "0.00", None),
}


@pytest.mark.parametrize("case", CB_019, ids=lambda case: f"CB-019-{case}")
def test_money_is_summed_before_it_is_rounded_and_shows_exactly_two_places(case: str) -> None:
    amounts, total, averages = CB_019[case]
    exact = sum(map(Decimal, amounts), Decimal(0))
    assert money(exact, "USD", "en_US") == f"${total}"
    if averages:
        assert money(exact / len(amounts), "USD", "en_US").removeprefix("$") in averages


@pytest.mark.parametrize(
    ("code", "shown"), [("JPY", "¥1,235"), ("USD", "$1,234.57"), ("KWD", "1,234.568"), ("XYZ", "1,234.57")]
)
def test_each_currency_has_its_own_minor_units(code: str, shown: str) -> None:
    assert money(Decimal("1234.5678"), code, "en_US").removeprefix(code).strip() == shown


@pytest.mark.parametrize(
    ("locale", "shown"),
    [
        ("en_US", "-€1,234.50"),
        ("zh_CN", "-€1,234.50"),
        ("de_DE", "-1.234,50\xa0€"),
        ("fr_FR", "-1\u202f234,50\xa0€"),
    ],
)
def test_sign_and_grouping_follow_the_locale(locale: str, shown: str) -> None:
    assert money(Decimal("-1234.5"), "EUR", locale) == shown


def test_nothing_is_ever_negative_zero() -> None:
    tiny = Decimal("-0.001")
    shown = (money(tiny, "USD", "en_US"), percent(tiny, "en_US"), number(Decimal("-0"), "en_US"))
    assert shown == ("$0.00", "0.0%", "0")
    assert str(rounded(tiny, "USD")) == "0.00"


def test_a_sum_longer_than_the_default_decimal_context_is_written_out() -> None:
    assert money(Decimal("1" * 40), "USD", "en_US").count("1") == 40


def test_a_gain_carries_a_plus_and_nothing_else_does() -> None:
    assert signed_money(Decimal(5), "USD", "en_US") == "+$5.00"
    assert signed_money(Decimal("0.001"), "USD", "en_US") == "$0.00"
    assert signed_percent(Decimal("4.25"), "de_DE") == "+4,2\xa0%"
    assert signed_percent(Decimal(-3), "tr_TR") == "-%3,0"
