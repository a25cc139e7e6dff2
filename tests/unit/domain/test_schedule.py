"""What is due when the clock changes, wherever one starts to look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.schedule import Fold, Gap, Schedule, due_after, due_between, length
from daemon.domain.zone import changes

NEW_YORK = "America/New_York"
BERLIN = "Europe/Berlin"
LONDON = "Europe/London"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def local(schedule: Schedule, start: str, end: str) -> list[str]:
    zone = ZoneInfo(schedule.timezone)
    return [due.astimezone(zone).isoformat() for due in due_between(schedule, at(start), at(end))]


@pytest.mark.parametrize(
    ("zone", "cron", "start", "expected"),
    [
        (NEW_YORK, "30 2 * * *", "2026-03-07T00:00-05:00", ["07T02:30:00-05", "08T03:00:00-04", "09T02:30:00-04"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31T00:00-04:00", ["31T01:30:00-04", "01T01:30:00-04", "02T01:30:00-05"]),
        (BERLIN, "30 2 * * *", "2026-10-24T00:00+02:00", ["24T02:30:00+02", "25T02:30:00+02", "26T02:30:00+01"]),
        (LONDON, "0 1 * * *", "2026-10-24T00:00+01:00", ["24T01:00:00+01", "25T01:00:00+01", "26T01:00:00+00"]),
        # Vector 2: midnight gaps, half an hour, Ramadan, and a day that does not exist.
        ("Africa/Cairo", "0 0 * * *", "2026-04-23T12:00+02:00", ["24T01:00:00+03", "25T00:00:00+03", "26T00:00:00+03"]),
        ("Asia/Beirut", "30 0 * * *", "2026-03-28T12:00+02:00", ["29T01:00:00+03", "30T00:30:00+03", "31T00:30:00+03"]),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00+10:30", ["04T02:30:00+11", "05T02:15:00+11"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00+11:00", ["05T01:45:00+11", "06T01:45:00+10"]),
        ("Africa/Casablanca", "30 2 * * *", "2026-02-14T12:00+01:00", ["15T02:30:00+01", "16T02:30:00+00"]),
        ("Africa/Casablanca", "30 2 * * *", "2026-03-21T12:00+00:00", ["22T03:00:00+01", "23T02:30:00+01"]),
        ("Pacific/Apia", "0 10 * * *", "2011-12-29T00:00-10:00", ["29T10:00:00-10", "31T10:00:00+14"]),
    ],
)  # fmt: skip
def test_cb_007_a_daily_job_runs_once_on_every_local_day(zone: str, cron: str, start: str, expected: list[str]) -> None:
    found = islice(due_after(Schedule(cron, zone), at(start)), len(expected))
    shown = [due.astimezone(ZoneInfo(zone)).isoformat() for due in found]
    assert [text[8:22] for text in shown] == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (None, ["2026-03-08T03:00:00-04:00"]),
        (Gap.SHIFT, ["2026-03-08T03:00:00-04:00"]),
        (Gap.SKIP, []),
    ],
)
def test_a_job_chooses_what_a_gap_does_to_it(rule: Gap | None, expected: list[str]) -> None:
    schedule = Schedule("30 2 * * *", NEW_YORK, gap=rule)
    assert local(schedule, "2026-03-08T00:00-05:00", "2026-03-08T23:00-04:00") == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (None, ["2026-11-01T01:30:00-04:00"]),
        (Fold.FIRST, ["2026-11-01T01:30:00-04:00"]),
        (Fold.SECOND, ["2026-11-01T01:30:00-05:00"]),
        (Fold.BOTH, ["2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"]),
    ],
)
def test_a_job_chooses_which_of_two_hours_counts(rule: Fold | None, expected: list[str]) -> None:
    schedule = Schedule("30 1 * * *", NEW_YORK, fold=rule)
    assert local(schedule, "2026-11-01T00:00-04:00", "2026-11-01T23:00-05:00") == expected


def test_two_times_that_a_gap_moves_to_one_instant_are_due_once() -> None:
    schedule = Schedule("0,30 2,3 * * *", NEW_YORK)
    found = local(schedule, "2026-03-08T00:00-05:00", "2026-03-08T23:00-04:00")
    assert found == ["2026-03-08T03:00:00-04:00", "2026-03-08T03:30:00-04:00"]


@pytest.mark.parametrize("cron", ["0 * * * *", "0 0-23 * * *", "0 */1 * * *"])
def test_an_hourly_job_runs_once_in_every_real_hour_however_it_is_written(cron: str) -> None:
    for day in ("2026-03-08", "2026-11-01"):
        start = at(f"{day}T00:00-05:00")
        found = list(due_between(Schedule(cron, NEW_YORK), start, start + timedelta(hours=12)))
        assert [later - earlier for earlier, later in pairwise(found)] == [timedelta(hours=1)] * 11


# 05:30Z, 06:30Z and 06:59Z on 1 November are in New York 01:30 (first), 01:30 (second) and 01:59 (second).
@pytest.mark.parametrize("minute", [0, 1, 29, 30, 31, 59])
@pytest.mark.parametrize("hour", range(3, 9))
@pytest.mark.parametrize("day", ["2026-03-08", "2026-11-01"])
def test_vector_3_starting_anywhere_around_a_change_gives_the_same_instants(day: str, hour: int, minute: int) -> None:
    schedule = Schedule("30 1,2 * * *", NEW_YORK)
    start = at(f"{day}T{hour:02}:{minute:02}:00Z")
    whole = list(due_between(schedule, at(f"{day}T00:00Z"), at(f"{day}T23:59Z")))
    for moment in (start - timedelta(seconds=1), start, start + timedelta(milliseconds=1)):
        rest = list(due_between(schedule, moment, at(f"{day}T23:59Z")))
        assert rest == [due for due in whole if due > moment]


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 1)), st.sampled_from(["17 * * * *", "5 4 * * *"]))  # noqa: DTZ001 - made UTC below
def test_the_next_instant_is_always_later_than_the_one_asked_about(moment: datetime, cron: str) -> None:
    start = moment.replace(tzinfo=UTC)
    found = list(islice(due_after(Schedule(cron, "Europe/Lisbon"), start), 5))
    assert all(earlier < later for earlier, later in pairwise([start, *found]))


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 1)))  # noqa: DTZ001 - made UTC below
def test_where_no_clock_changes_the_instants_are_those_of_cronsim(moment: datetime) -> None:
    start = moment.replace(tzinfo=UTC)
    for cron in ("*/7 3-9 * * MON#2", "0 10 L * *", "0 9 13 * 5"):
        assert list(islice(due_after(Schedule(cron), start), 3)) == list(islice(CronSim(cron, start), 3))


@pytest.mark.parametrize(
    ("every", "start", "gaps"),
    [
        (timedelta(seconds=90), "2026-03-29T00:00Z", {timedelta(seconds=90)}),
        (timedelta(hours=5), "2026-03-27T00:00Z", {timedelta(hours=5)}),
        (timedelta(days=1), "2026-03-27T12:00Z", {timedelta(hours=24), timedelta(hours=23)}),
        (timedelta(days=7), "2026-03-20T12:00Z", {timedelta(hours=168), timedelta(hours=167)}),
    ],
)
def test_an_interval_is_real_time_unless_it_is_made_of_days(every: timedelta, start: str, gaps: set[timedelta]) -> None:
    schedule = Schedule(every=every, timezone="Europe/Berlin")
    found = list(islice(due_after(schedule, at(start)), 30))
    assert {later - earlier for earlier, later in pairwise(found)} == gaps


def test_an_interval_is_counted_from_its_anchor() -> None:
    anchor = datetime(2026, 1, 5, 10, 15)  # noqa: DTZ001 - wall time
    schedule = Schedule(every=timedelta(days=14), timezone="Europe/Berlin", anchor=anchor)
    assert local(schedule, "2026-03-17T00:00Z", "2026-04-20T00:00Z") == [
        "2026-03-30T10:15:00+02:00",
        "2026-04-13T10:15:00+02:00",
    ]


def test_an_interval_without_an_anchor_begins_on_a_monday_at_midnight() -> None:
    schedule = Schedule(every=timedelta(days=7), timezone="Asia/Tokyo")
    assert local(schedule, "2026-03-01T00:00Z", "2026-03-10T00:00Z") == [
        "2026-03-02T00:00:00+09:00",
        "2026-03-09T00:00:00+09:00",
    ]


def test_a_rare_date_is_found_across_years() -> None:
    found = islice(due_after(Schedule("0 0 29 2 *", "Europe/Berlin"), at("2026-01-01T00:00Z")), 2)
    assert [due.isoformat() for due in found] == ["2028-02-28T23:00:00+00:00", "2032-02-28T23:00:00+00:00"]


def test_the_changes_of_a_zone_are_found_to_the_second() -> None:
    [spring, autumn] = changes("Europe/Berlin", 2026)
    assert (spring.at, autumn.at) == (at("2026-03-29T01:00Z"), at("2026-10-25T01:00Z"))
    assert spring.is_gap
    assert not autumn.is_gap
    assert changes("UTC", 2026) == ()


@pytest.mark.parametrize(
    ("span", "text"), [(timedelta(seconds=90), "1m30s"), (timedelta(days=7), "7d"), (timedelta(), "0s")]
)
def test_an_interval_is_shown_as_it_is_written(span: timedelta, text: str) -> None:
    assert length(span) == text
