from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from daemon.cli.requesting import day_named, job_named
from daemon.cli.trouble import Misuse, Refused
from daemon.config import Fault, Loaded, read_settings
from daemon.ports import Declined
from daemon.testing.tools import make_job, make_plan
from tests.unit.cli.desk import Desk, job_of

NOW = datetime(2026, 3, 29, 22, 30, tzinfo=UTC)
"""In Berlin it is 00:30 on the 30th."""
BERLIN = make_job(make_plan(()), timezone="Europe/Berlin")


def test_without_a_date_it_is_yesterday_in_the_jobs_zone() -> None:
    assert day_named(None, BERLIN, NOW) == date(2026, 3, 29)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-02-30", "'2026-02-30' is not a date (write it as YYYY-MM-DD, for example 2026-03-29)"),
        ("tomorrow", "'tomorrow' is not a date"),
        ("2026-03-30", "2026-03-30 has not ended in Europe/Berlin (the latest whole day is 2026-03-29)"),
        ("2027-01-01", "2027-01-01 is in the future in Europe/Berlin"),
    ],
)
def test_a_date_that_cannot_be_is_refused_with_a_hint(text: str, message: str) -> None:
    with pytest.raises((Misuse, Declined)) as refused:
        day_named(text, BERLIN, NOW)
    assert str(refused.value).startswith(message)


def test_an_unknown_job_gets_the_nearest_name(desk: Desk) -> None:
    config = Loaded(read_settings(desk.folder), (job_of(),), ())
    with pytest.raises(Misuse, match="did you mean 'report'"):
        job_named(config, "reprot")


def test_a_job_with_faults_is_refused_with_its_faults(desk: Desk) -> None:
    fault = Fault("jobs/report.yaml", 3, 1, "unknown key 'shedule'")
    with pytest.raises(Refused, match=r"jobs/report\.yaml:3:1"):
        job_named(Loaded(read_settings(desk.folder), (), (fault,)), "report")


def test_a_job_whose_tool_is_broken_cannot_run(desk: Desk) -> None:
    broken = replace(job_of(), broken="the tool 'look' is broken: look.py:3")
    with pytest.raises(Refused, match=r"look\.py:3"):
        job_named(Loaded(read_settings(desk.folder), (broken,), ()), "report")
