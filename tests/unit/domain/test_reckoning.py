"""The ledger is checked against the schedules, so that what is not written down shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from daemon.domain.calendar import occurrence
from daemon.domain.job import Disposition, LedgerRow
from daemon.domain.plan import Step
from daemon.domain.reckoning import OWED, UNACCOUNTED, reckon, totals
from daemon.domain.revision import Revision, due_over, owed
from daemon.domain.schedule import Schedule
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

JOB = make_job(make_plan([Step("a", "look")], job="hourly"))
DAY = datetime(2026, 3, 10, tzinfo=UTC)
HISTORY = [
    Revision("hourly", DAY, Schedule("0 * * * *")),
    Revision("hourly", DAY + timedelta(hours=3.5), Schedule("30 * * * *")),
    Revision("hourly", DAY + timedelta(hours=6), None),
    Revision("hourly", DAY + timedelta(hours=8), Schedule("0 * * * *")),
]


def row(hour: float, disposition: Disposition = Disposition.STARTED, since: float | None = None) -> LedgerRow:
    found = LedgerRow(occurrence(JOB, DAY + timedelta(hours=hour), ZONE_DATA), disposition)
    return found if since is None else replace(found, since=DAY + timedelta(hours=since))


def hours(instants: list[datetime]) -> list[float]:
    return [(at - DAY) / timedelta(hours=1) for at in instants]


def test_an_instant_is_due_by_the_schedule_that_was_in_force() -> None:
    found = list(due_over(HISTORY, DAY, DAY + timedelta(hours=10)))
    assert hours(found) == [1, 2, 3, 4.5, 5.5, 9, 10]


def test_the_newest_of_what_is_owed_are_looked_at_one_by_one() -> None:
    found = owed(HISTORY, DAY, DAY + timedelta(hours=10), most=3)
    assert hours(list(found.instants)) == [5.5, 9, 10]
    assert found.older is not None
    assert hours(list(found.older)) == [1, 4.5]
    assert owed(HISTORY, DAY, DAY + timedelta(hours=10), most=7).older is None
    assert owed(HISTORY, DAY, DAY, most=7).instants == ()


def test_years_of_a_job_of_every_second_are_owed_without_being_counted() -> None:
    secondly = [Revision("s", DAY, Schedule(every=timedelta(seconds=1)))]
    found = owed(secondly, DAY, DAY + timedelta(days=3660), most=100)
    assert len(found.instants) == 100
    assert found.older == (DAY + timedelta(seconds=1), found.instants[0] - timedelta(seconds=1))


def test_every_due_instant_comes_to_something() -> None:
    rows = [row(1), row(2, Disposition.SKIPPED_OVERLAP), row(3)]
    found = list(reckon(HISTORY, rows, DAY + timedelta(hours=3), DAY, DAY + timedelta(hours=5)))
    assert [one.disposition for one in found] == ["started", "skipped_overlap", "started", OWED]
    assert sum(totals(found).values()) == len(found)


def test_a_missing_row_shows() -> None:
    found = list(reckon(HISTORY, [row(1), row(3)], DAY + timedelta(hours=3), DAY, DAY + timedelta(hours=4)))
    assert totals(found) == {"started": 2, UNACCOUNTED: 1}


def test_a_row_that_stands_for_many_counts_for_each() -> None:
    rows = [row(3, Disposition.MISSED_EXPIRED, since=1)]
    found = list(reckon(HISTORY, rows, DAY + timedelta(hours=3), DAY, DAY + timedelta(hours=3)))
    assert totals(found) == {"missed_expired": 2}
