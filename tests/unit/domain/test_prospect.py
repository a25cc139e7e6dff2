"""Whether a job is later than it may be."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from daemon.domain.prospect import Prospect, prospect, runs_too_long
from daemon.domain.timing import Timing
from daemon.testing.tools import make_job, make_plan

DAILY = make_job(make_plan(()), "0 10 * * *")
TEN = datetime(2026, 3, 10, 10, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("mark", "now", "expected"),
    [
        (TEN, TEN + SECOND, Prospect(TEN + DAY)),
        (TEN - DAY, TEN - SECOND, Prospect(TEN)),
        (TEN - DAY, TEN + 60 * SECOND, Prospect(TEN + DAY)),
        (TEN - DAY, TEN + 61 * SECOND, Prospect(TEN + DAY, TEN)),
        (TEN - 3 * DAY, TEN - SECOND, Prospect(TEN, TEN - 2 * DAY)),
        (None, TEN + SECOND, Prospect(TEN + DAY)),
        (TEN + 5 * DAY, TEN + SECOND, Prospect(TEN + DAY)),
    ],
)
def test_an_instant_is_owed_once_its_grace_is_over(mark: datetime | None, now: datetime, expected: Prospect) -> None:
    assert prospect(DAILY, mark, now) == expected


def test_jitter_is_part_of_the_grace() -> None:
    jittered = replace(DAILY, timing=Timing(jitter=timedelta(hours=2)))
    delay = jittered.timing.delay(jittered.id)
    assert prospect(jittered, TEN - DAY, TEN + delay + 60 * SECOND).owed is None
    assert prospect(jittered, TEN - DAY, TEN + delay + 61 * SECOND).owed == TEN


def test_a_job_on_request_is_never_overdue() -> None:
    assert prospect(make_job(make_plan(()), None), TEN - DAY, TEN) == Prospect()


def test_a_run_takes_too_long_only_by_its_own_rule() -> None:
    hurried = replace(DAILY, timing=Timing(finish_within=timedelta(minutes=5)))
    assert not runs_too_long(DAILY, TEN, TEN + DAY)
    assert not runs_too_long(hurried, TEN, TEN + 300 * SECOND)
    assert runs_too_long(hurried, TEN, TEN + 301 * SECOND)
