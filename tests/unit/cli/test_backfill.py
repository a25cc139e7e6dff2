"""Runs for days gone by, runs made again, and what differs between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.adapters.zone_data import zone_data_version
from daemon.cli.backfill import Backfill
from daemon.cli.exit_codes import ExitCode
from daemon.domain.calendar import occurrences
from daemon.domain.comparison import compare
from daemon.domain.errors import Kind
from daemon.domain.job import Dating, Job
from daemon.domain.model import RunState
from daemon.domain.plan import Exhausted, Step
from daemon.domain.schedule import Schedule
from daemon.ports import Birth
from daemon.runtime.requests import again
from daemon.testing.plays import Script, fail, succeed
from tests.unit.cli.desk import YESTERDAY, AtOnce, Desk, job_of

SENDS = job_of(Step("fetch", "look", on_exhausted=Exhausted.FAIL), Step("post", "send", needs=("fetch",)))
FIRST = YESTERDAY - timedelta(days=2)


def fill(desk: Desk, job: Job = SENDS, *, at_once: int = 2) -> int:
    with desk.daemon(job) as daemon:
        return Backfill(daemon, desk.bulletin, job, at_once).run(
            list(occurrences(job, FIRST, YESTERDAY, zone_data_version()))
        )


def test_every_day_gets_one_run_and_a_repetition_repeats_nothing(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fill(desk) == ExitCode.OK
    assert len(desk.runner.calls) == 6
    assert fill(desk) == ExitCode.OK
    assert len(desk.runner.calls) == 6
    said = capsys.readouterr().out
    assert "3 of 3" in said
    assert f"{FIRST}  succeeded" in said


def test_a_day_that_failed_is_run_again_and_what_was_done_stays(desk: Desk) -> None:
    desk.runner = AtOnce(Script({"fetch": fail(Kind.MISCONFIGURED)}))
    assert fill(desk) == ExitCode.FAILED
    desk.runner = AtOnce(Script(otherwise=succeed()))
    assert fill(desk) == ExitCode.OK
    with desk.daemon(SENDS) as daemon:
        assert {run.revision for run in daemon.queries.runs(state=RunState.SUCCEEDED)} == {2}


def test_a_dry_run_says_what_would_run(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.run(SENDS)
    with desk.daemon(SENDS) as daemon:
        owed = list(occurrences(SENDS, FIRST, YESTERDAY, zone_data_version()))
        Backfill(daemon, desk.bulletin, SENDS, 1).tell(owed)
    said = capsys.readouterr().out
    assert said.count("run\n") == 2 or said.count("  run") == 2
    assert "stay (succeeded)" in said


def test_an_hourly_job_is_filled_for_every_hour() -> None:
    hourly = job_of(cron="0 * * * *")
    owed = list(occurrences(hourly, YESTERDAY, YESTERDAY, "test"))
    assert len(owed) == 24
    assert {due.data.day for due in owed} == {YESTERDAY}
    assert list(occurrences(job_of(cron=None), YESTERDAY, YESTERDAY, "test")) == []


def test_what_follows_another_job_is_filled_for_the_days_on_which_that_one_is_due(desk: Desk) -> None:
    berlin = Schedule("30 0 * * *", "Europe/Berlin")
    follower = replace(job_of(cron=None), id="then", after=SENDS.id, head=Dating(berlin, "Europe/Berlin"))
    for _ in range(2):
        assert fill(desk, follower) == ExitCode.OK
    with desk.daemon(follower) as daemon:
        runs = [daemon.store.load(row.id) for row in daemon.queries.runs("then")]
    assert sorted(run.data.day for run in runs) == [FIRST, FIRST + timedelta(days=1), YESTERDAY]
    assert {(run.data.timezone, run.data.due_local[11:16]) for run in runs} == {("Europe/Berlin", "00:30")}


def made_again(desk: Desk, *, send: bool) -> int:
    """How many calls a retry of the finished run made."""
    desk.run(SENDS)
    before = len(desk.runner.calls)
    with desk.daemon(SENDS) as daemon:
        [row] = daemon.queries.runs()
        first = daemon.store.load(row.id)
        made = again(daemon.store, SENDS, first, daemon.clock.now() + timedelta(days=3), send=send)
        daemon.store.create([Birth(made)])
        daemon.store.lead(daemon.owner, 60)
        daemon.executor.drive(made.id)
        daemon.executor.wait(made.id)
        second = daemon.store.load(made.id)
    assert (second.revision, second.state, second.data) == (2, RunState.SUCCEEDED, first.data)
    assert {each.what for each in compare(first, second)} <= {"send", "tries", "output"}
    return len(desk.runner.calls) - before


def test_a_retry_is_a_new_revision_for_the_same_date_that_does_not_send_again(desk: Desk) -> None:
    assert made_again(desk, send=False) == 1


def test_a_retry_sends_again_where_that_is_asked_for(desk: Desk) -> None:
    assert made_again(desk, send=True) == 2


def test_a_run_that_goes_on_is_not_made_again(desk: Desk) -> None:
    waiting = job_of(Step("fetch", "look", approve=True))
    assert desk.run(waiting) == ExitCode.WAITING
    with desk.daemon(waiting) as daemon:
        [row] = daemon.queries.runs()
        with pytest.raises(ValueError, match="still goes on"):
            again(daemon.store, waiting, daemon.store.load(row.id), daemon.clock.now())
