"""When a job is due, by when it must have ended, and when it is overdue: in words of timestamps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from daemon.domain.deadlines import Deadline, Standing, deadline
from daemon.domain.health import Pulse, health
from daemon.domain.plan import Step
from daemon.domain.timing import Timing
from daemon.testing.tools import make_job, make_plan

JOB = replace(
    make_job(make_plan([Step("look", "look")]), "0 10 * * *"), timing=Timing(finish_within=timedelta(hours=1))
)


def at(hour: int, minute: int = 0, day: int = 2) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("standing", "now", "ends_by", "overdue"),
    [
        pytest.param(Standing(at(10, day=1)), at(9), at(11), False, id="nothing is due yet"),
        pytest.param(Standing(at(10, day=1)), at(10), at(11), False, id="due this second"),
        pytest.param(Standing(at(10, day=1)), at(10, 2), at(11), True, id="nobody accounted for it"),
        pytest.param(Standing(at(10), open=at(10)), at(10, 59), at(11), False, id="at work"),
        pytest.param(Standing(at(10), open=at(10)), at(11, 1), at(11), True, id="at work for too long"),
        pytest.param(Standing(at(10)), at(11, 1), at(11, day=3), False, id="done for today"),
        pytest.param(Standing(at(10, day=1), paused=True), at(12), None, False, id="paused"),
        pytest.param(Standing(), at(9), at(11), False, id="never seen before"),
    ],
)
def test_a_job_has_a_deadline(standing: Standing, now: datetime, ends_by: datetime | None, overdue: bool) -> None:
    found = deadline(JOB, standing, now)
    assert (found.ends_by, found.overdue(now)) == (ends_by, overdue)


def test_the_next_time_is_told_whatever_is_owed() -> None:
    assert deadline(JOB, Standing(at(10, day=1)), at(10, 2)).next_due == at(10, day=3)


def test_a_job_on_request_has_no_deadline_until_it_runs() -> None:
    on_request = replace(JOB, schedule=None)
    assert deadline(on_request, Standing(), at(9)) == Deadline()
    assert deadline(on_request, Standing(open=at(8)), at(9, 1)).overdue(at(9, 1))


@pytest.mark.parametrize(
    ("pulse", "alive", "ready"),
    [
        (Pulse(1, 100.0, leads=True), True, True),
        (Pulse(1, 100.0, leads=False), True, True),
        (Pulse(0, 100.0), True, False),
        (Pulse(9, 100.0, leads=True, trouble="disk full"), True, False),
        (Pulse(9, 0.0, leads=True), False, False),
    ],
)
def test_health_follows_the_loops_own_progress(pulse: Pulse, alive: bool, ready: bool) -> None:
    found = health(pulse, 110.0)
    assert (found.alive, found.ready, bool(found.why)) == (alive, ready, not ready)
