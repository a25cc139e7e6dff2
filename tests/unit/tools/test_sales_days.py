"""The local day and its hours."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from atomic_tools import InvalidInputError
from atomic_tools._sales_day import compared_dates, days_needed, hour_label, hour_starts, local_day


@pytest.mark.parametrize(
    ("day", "timezone", "hours"),
    [
        (date(2026, 3, 29), "Europe/Berlin", 23),
        (date(2026, 10, 25), "Europe/Berlin", 25),
        (date(2026, 6, 1), "Europe/Berlin", 24),
        (date(2018, 11, 4), "America/Sao_Paulo", 23),
        (date(2026, 4, 5), "Australia/Lord_Howe", 24.5),
        (date(2011, 12, 30), "Pacific/Apia", 0),
    ],
)
def test_a_day_is_as_long_as_the_zone_makes_it(day: date, timezone: str, hours: float) -> None:
    found = local_day(day, timezone)

    assert found.end - found.start == timedelta(hours=hours)


def test_the_day_of_tokyo_begins_at_three_in_the_afternoon_of_utc() -> None:
    found = local_day(date(2026, 3, 10), "Asia/Tokyo")

    assert found.start == datetime(2026, 3, 9, 15, tzinfo=UTC)
    assert found.end == datetime(2026, 3, 10, 15, tzinfo=UTC)


def test_a_doubled_hour_is_two_hours_told_apart_by_their_offset() -> None:
    day = local_day(date(2026, 10, 25), "Europe/Berlin")

    labels = [hour_label(start, day.timezone) for start in hour_starts(day)]

    assert labels[1:5] == ["01:00", "02:00+0200", "02:00+0100", "03:00"]


def test_a_skipped_hour_does_not_exist() -> None:
    day = local_day(date(2026, 3, 29), "Europe/Berlin")

    labels = [hour_label(start, day.timezone) for start in hour_starts(day)]

    assert labels[:4] == ["00:00", "01:00", "03:00", "04:00"]


def test_a_date_that_the_zone_skipped_has_no_hours() -> None:
    assert hour_starts(local_day(date(2011, 12, 30), "Pacific/Apia")) == ()
    assert date(2011, 12, 30) not in {day.date for day in days_needed(date(2011, 12, 31), "Pacific/Apia")}


def test_a_day_is_compared_with_yesterday_and_four_same_weekdays() -> None:
    assert [str(each) for each in compared_dates(date(2026, 3, 10))] == [
        "2026-03-09",
        "2026-03-03",
        "2026-02-24",
        "2026-02-17",
        "2026-02-10",
    ]


@pytest.mark.parametrize("name", ["Europe/Berln", "", "../etc/passwd"])
def test_an_unknown_zone_is_an_invalid_input(name: str) -> None:
    with pytest.raises(InvalidInputError, match="no time zone"):
        local_day(date(2026, 3, 10), name)
