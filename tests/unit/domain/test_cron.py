"""Cron expressions: what is read means what crontab means, and what cannot be meant is refused with its reason."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import islice

import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.cron import ALIASES, parse

START = datetime(2026, 1, 1, tzinfo=UTC)


def first_dates(expression: str, count: int) -> list[str]:
    return [instant.date().isoformat() for instant in islice(CronSim(parse(expression).fields, START), count)]


SUNDAYS = ["2026-01-04", "2026-01-11", "2026-01-18"]


@pytest.mark.parametrize(
    ("expression", "dates"),
    [
        ("0 9 * * 0", SUNDAYS),
        ("0 9 * * 7", SUNDAYS),
        ("0 9 * * SUN", SUNDAYS),
        ("0 9 * * 1-5", ["2026-01-01", "2026-01-02", "2026-01-05"]),
        ("0 9 * * 5-7", ["2026-01-02", "2026-01-03", "2026-01-04"]),
        ("15 10 * * 1,7", ["2026-01-04", "2026-01-05", "2026-01-11"]),
        ("0 9 * * mon-fri", ["2026-01-01", "2026-01-02", "2026-01-05"]),
    ],
)
def test_cb_001_weekdays_are_those_of_crontab(expression: str, dates: list[str]) -> None:
    assert first_dates(expression, 3) == dates


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("0 0 30 2 *", "no date ever matches"),
        ("0 10 31 4,6,9,11 *", "no date ever matches"),
        ("0 0 10 * * *", "6 fields; cron takes five: minute hour day month weekday; seconds are not"),
        ("60 10 * * *", "the minute field '60' is not valid; it takes 0 to 59"),
        ("*/0 * * * *", "the minute field '*/0'"),
        ("0 10 ? * MON", "the day of month field '?'"),
        ("0 10 15W * *", "the day of month field '15W'"),
        ("@reboot", "no known alias; there are @hourly, @daily"),
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("0 10 * * MON#9", "the day of week field 'MON#9'"),
        ("0 10 * * mon!!", "the day of week field 'mon!!'"),
        ("0 10 * * 8", "the day of week field '8'"),
        ("0 10 1,,2 * *", "the day of month field '1,,2'"),
        ("0 24 * * *", "the hour field '24'"),
        ("0 10 * 13 *", "the month field '13'"),
        ("*/90 * * * *", "step 90, longer than the field"),
        ("0 10 * *", "it has 4 fields"),
        ("5-1 * * * *", "the minute field '5-1'"),
        ("٣ * * * *", "the minute field '٣'"),
    ],
)
def test_cb_003_what_cannot_be_meant_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parse(expression)


def test_cb_003_the_last_day_of_the_month_is_understood() -> None:
    assert first_dates("0 10 L * *", 3) == ["2026-01-31", "2026-02-28", "2026-03-31"]


@pytest.mark.parametrize(
    ("expression", "dates"),
    [
        ("0 10 31 * *", ["2026-01-31", "2026-03-31", "2026-05-31"]),
        ("0 10 29 2 *", ["2028-02-29", "2032-02-29"]),
        ("0 10 30 * *", ["2026-01-30", "2026-03-30", "2026-04-30"]),
    ],
)
def test_cb_005_a_month_without_the_day_is_left_out(expression: str, dates: list[str]) -> None:
    assert first_dates(expression, len(dates)) == dates


def test_cb_005_every_alias_stands_for_five_fields() -> None:
    expected = {"@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@hourly": "0 * * * *"}

    assert {name: parse(name).fields for name in expected} == expected
    assert all(len(fields.split()) == 5 for fields in ALIASES.values())


def test_cb_005_a_step_that_does_not_divide_the_hour_is_pointed_out() -> None:
    assert parse("*/7 * * * *").cautions == ("the minute step 7 does not divide 60: the last gap is shorter",)
    assert parse("0 */5 * * *").cautions == ("the hour step 5 does not divide 24: the last gap is shorter",)


@pytest.mark.parametrize(
    ("expression", "often"),
    [("0 10 * * *", False), ("@daily", False), ("0 9,18 * * *", True), ("*/30 10 * * *", True), ("@hourly", True)],
)
def test_firing_more_than_once_on_a_date_is_known_from_the_fields(expression: str, *, often: bool) -> None:
    assert parse(expression).often is often


def test_both_day_fields_are_pointed_out() -> None:
    assert parse("0 9 1 * MON").cautions == ("both day fields are set: it fires when either matches",)


@given(st.text(alphabet="0123456789*/,-#LWMON? ", max_size=20) | st.text(max_size=12))
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    try:
        fields = parse(text).fields
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either ending is right
    else:
        assert next(CronSim(fields, START)) > START
