"""What `validate` says of the next two clock changes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daemon.cli import clock_changes
from daemon.testing.tools import make_job, make_plan

SUMMER = datetime(2026, 7, 1, tzinfo=UTC)


def test_both_changes_are_told_with_what_is_due_around_them() -> None:
    told = list(clock_changes.lines(make_job(make_plan(()), "30 2 * * *", "Europe/Berlin"), SUMMER))
    assert [line.partition(";")[0] for line in told] == [
        "report: the clock goes from 03:00 to 02:00 on Sun 2026-10-25",
        "report: the clock goes from 02:00 to 03:00 on Sun 2027-03-28",
    ]
    assert [line.partition("; ")[2] for line in told] == [
        "due around it at 02:30 CEST (by the rule for clock changes)",
        "due around it at 03:00 CEST (by the rule for clock changes)",
    ]


@pytest.mark.parametrize(("cron", "zone"), [("0 10 * * *", "Europe/Berlin"), ("30 2 * * *", "Asia/Tokyo")])
def test_a_job_that_no_change_touches_is_not_spoken_of(cron: str, zone: str) -> None:
    assert list(clock_changes.lines(make_job(make_plan(()), cron, zone), SUMMER)) == []


def test_a_program_gets_the_same() -> None:
    first, second = clock_changes.document(make_job(make_plan(()), "30 2 * * *", "Europe/Berlin"), SUMMER)
    assert (len(first["due"]), first["decided_by_rule"]) == (1, True)
    assert second["due"] == [datetime(2027, 3, 28, 1, tzinfo=UTC)]
