"""Due instants and data dates, over change days and odd zones."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.calendar import data_date, day_bounds, occurrence_for
from daemon.domain.plan import Step
from daemon.domain.schedule import Schedule, due_after, due_between
from daemon.testing.tools import make_job, make_plan

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"]
SINCE = datetime(2018, 1, 1, tzinfo=UTC)


def dues(cron: str, zone: str, start: str, number: int) -> list[str]:
    found = islice(due_after(Schedule(cron, zone), datetime.fromisoformat(start)), number)
    return [f"{due:%m-%d %H:%M}" for due in found]


def test_a_daily_time_in_the_gap_comes_right_after_it() -> None:
    assert dues("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", 3) == ["03-28 01:30", "03-29 01:00", "03-30 00:30"]


def test_a_daily_time_in_the_fold_comes_once() -> None:
    assert dues("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2) == ["10-25 00:30", "10-26 01:30"]


def test_an_hourly_job_comes_every_real_hour() -> None:
    assert dues("0 * * * *", "Europe/Berlin", "2026-10-24T23:30Z", 3) == ["10-25 00:00", "10-25 01:00", "10-25 02:00"]


@given(
    st.sampled_from(["0 10 * * *", "30 2 * * *", "0 * * * *", "*/15 1-3 * * *", "0 0 1 * *"]),
    st.sampled_from(ZONES),
    st.integers(0, 9 * 365 * 1440).map(lambda minutes: SINCE + timedelta(minutes=minutes)),
    st.integers(0, 4),
)
def test_looking_again_from_any_due_instant_goes_on_where_it_was(
    cron: str, zone: str, start: datetime, at: int
) -> None:
    """The watermark may stand on any of them: none is lost, none comes again."""
    schedule = Schedule(cron, zone)
    found = list(islice(due_after(schedule, start), 6))
    assert found == sorted(set(found))
    assert next(due_after(schedule, found[at])) == found[at + 1]


def test_the_interval_is_open_at_its_start_and_closed_at_its_end() -> None:
    ten = datetime(2026, 3, 2, 10, tzinfo=UTC)
    schedule = Schedule("0 10 * * *", "UTC")
    assert list(due_between(schedule, ten - timedelta(days=1), ten)) == [ten]
    assert list(due_between(schedule, ten, ten + timedelta(hours=23))) == []


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        (date(2026, 3, 29), "Europe/Berlin", 23),
        (date(2026, 10, 25), "Europe/Berlin", 25),
        (date(2026, 4, 5), "Australia/Lord_Howe", 24.5),
        (date(2018, 11, 4), "America/Sao_Paulo", 23),
        (date(2011, 12, 30), "Pacific/Apia", 0),
        (date(2026, 6, 1), "UTC", 24),
    ],
)
def test_a_local_day_is_as_long_as_it_was(day: date, zone: str, hours: float) -> None:
    start, end = day_bounds(day, zone)
    assert (end - start) == timedelta(hours=hours)


@given(st.dates(date(2000, 1, 1), date(2030, 1, 1)), st.sampled_from(ZONES))
def test_days_lie_end_to_end(day: date, zone: str) -> None:
    assert day_bounds(day, zone)[1] == day_bounds(day + timedelta(days=1), zone)[0]


def test_a_run_reports_on_the_local_day_before() -> None:
    data = data_date(datetime(2026, 3, 2, 23, 30, tzinfo=UTC), "Europe/Berlin", "test")
    assert (data.local_date, data.day) == (date(2026, 3, 3), date(2026, 3, 2))
    assert data.due_local == "2026-03-03T00:30:00+01:00"


def test_a_manual_run_for_a_day_takes_the_occurrence_that_reports_on_it() -> None:
    job = make_job(make_plan([Step("a", "look")]), "0 10 * * *", "Europe/Berlin")
    due = occurrence_for(job, date(2026, 3, 28), "test")
    assert due is not None
    assert due.instant == datetime(2026, 3, 29, 8, tzinfo=UTC)
    assert due.data.day == date(2026, 3, 28)


def test_a_day_on_which_nothing_is_due_has_no_occurrence() -> None:
    job = make_job(make_plan([Step("a", "look")]), "0 10 * * 1", "UTC")
    assert occurrence_for(job, date(2026, 3, 2), "test") is None


@pytest.mark.parametrize(
    ("due", "week", "month"),
    [
        ("2026-03-11T10:00+09:00", ("2026-03-02", "2026-03-08"), ("2026-02-01", "2026-02-28")),
        ("2026-03-09T00:30+09:00", ("2026-03-02", "2026-03-08"), ("2026-02-01", "2026-02-28")),
        ("2027-01-01T00:30+09:00", ("2026-12-21", "2026-12-27"), ("2026-12-01", "2026-12-31")),
    ],
)
def test_the_last_whole_week_and_month_are_fixed_with_the_day(
    due: str, week: tuple[str, str], month: tuple[str, str]
) -> None:
    found = data_date(datetime.fromisoformat(due), "Asia/Tokyo", "test")
    assert found.week is not None
    assert found.month is not None
    assert (found.week.first.isoformat(), found.week.last.isoformat()) == week
    assert (found.month.first.isoformat(), found.month.last.isoformat()) == month


def test_a_month_with_a_clock_change_is_an_hour_shorter() -> None:
    month = data_date(datetime(2026, 4, 1, 8, tzinfo=UTC), "Europe/Berlin", "test").month
    assert month is not None
    assert month.end - month.start == timedelta(days=31) - timedelta(hours=1)


def test_cb_021_the_day_ends_at_midnight_of_the_shop() -> None:
    found = data_date(datetime.fromisoformat("2026-03-11T10:00+09:00"), "Asia/Tokyo", "test")
    assert found.day.isoformat() == "2026-03-10"
    assert found.start == datetime(2026, 3, 9, 15, tzinfo=UTC)
    assert found.end == datetime(2026, 3, 10, 15, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Pacific/Apia"])
def test_vector_15_a_run_half_an_hour_after_midnight_reports_on_the_day_before(zone: str) -> None:
    schedule = Schedule("30 0 * * *", zone)
    start = datetime(2026, 3, 1, tzinfo=UTC)
    for due in due_between(schedule, start, start + timedelta(days=300)):
        found = data_date(due, zone, "test")
        assert found.day == due.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)
        assert found.end <= due
