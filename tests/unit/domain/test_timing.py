"""Calendars and the stable spread of starts."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from daemon.domain.timing import Blackout, Calendar, Timing

BUSINESS = Calendar(business_days=True, holidays="DE-BE", exclude=frozenset({date(2026, 12, 24)}))


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        ("2026-12-23", ""),
        ("2026-12-24", "2026-12-24 is an excluded date"),
        ("2026-12-25", "2026-12-25 is a holiday: Christmas Day (DE-BE)"),
        ("2026-03-08", "2026-03-08 is a Sunday"),
        ("2027-03-08", "2027-03-08 is a holiday: Women's Day (DE-BE)"),
    ],
)
def test_a_calendar_says_why_a_day_is_left_out(day: str, reason: str) -> None:
    assert BUSINESS.objection(datetime.fromisoformat(f"{day}T10:00")) == reason


def test_an_included_date_counts_whatever_day_it_is() -> None:
    calendar = Calendar(business_days=True, include=frozenset({date(2026, 3, 8)}))
    assert calendar.objection(datetime.fromisoformat("2026-03-08T10:00")) == ""


@pytest.mark.parametrize(
    ("local", "covered"),
    [
        ("2026-03-07T21:59", False),
        ("2026-03-07T22:00", True),
        ("2026-03-08T05:59", True),
        ("2026-03-08T06:00", False),
        ("2026-03-08T23:00", False),
    ],
)
def test_a_blackout_over_midnight_belongs_to_the_day_on_which_it_begins(local: str, *, covered: bool) -> None:
    saturday_night = Blackout(time(22), time(6), frozenset({5}))
    assert saturday_night.covers(datetime.fromisoformat(local)) is covered


def test_a_blackout_counts_on_an_included_date_too() -> None:
    calendar = Calendar(include=frozenset({date(2026, 3, 8)}), blackouts=(Blackout(time(1), time(5)),))
    assert calendar.objection(datetime.fromisoformat("2026-03-08T02:00")) == "02:00 lies in a blackout window"


def test_the_spread_of_a_job_is_always_the_same_and_never_longer_than_its_jitter() -> None:
    timing = Timing(jitter=timedelta(minutes=5))
    delays = {timing.delay(f"job-{number}") for number in range(50)}
    assert len(delays) == 50
    assert all(timedelta(0) <= delay <= timing.jitter for delay in delays)
    assert timing.delay("job-1") == timing.delay("job-1")
