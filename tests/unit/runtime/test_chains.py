"""A job that follows another one runs once for each date that the other has done, whatever happens in between."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.domain.absent import Absent
from daemon.domain.errors import Kind
from daemon.domain.job import Job
from daemon.domain.model import RunState
from daemon.domain.pause import Pause
from daemon.domain.plan import Exhausted, Step
from daemon.domain.timing import Overlap, Timing
from daemon.ports import Birth, Call
from daemon.runtime.requests import again, request
from daemon.runtime.scheduler import Scheduler
from daemon.testing.fake_clock import START
from daemon.testing.plays import Play, fail, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

HOUR = 3600.0
DAY = 24 * HOUR
UP = make_job(make_plan([Step("load", "look", on_exhausted=Exhausted.FAIL)], job="load"), "0 10 * * *")
DOWN = replace(make_job(make_plan([Step("tell", "look")], job="tell"), None), after="load", head=UP.dating)
LAST = replace(make_job(make_plan([Step("file", "look")], job="file"), None), after="tell", head=UP.dating)


def scheduler(stage: Stage, *jobs: Job) -> Scheduler:
    made = Scheduler(stage.outside, stage.plans, stage.executor, {job.id: job for job in jobs}, ZONE_DATA)
    made.adopt()
    return made


def pass_seconds(stage: Stage, by: Scheduler, seconds: float, step: float = 30.0) -> None:
    for _ in range(int(seconds // step)):
        stage.clock.advance(step)
        by.tick()


def ledger(stage: Stage, job: str = "tell") -> list[tuple[int, str]]:
    rows = stage.store.ledger(job, START - timedelta(days=9), START + timedelta(days=30))
    return [(row.occurrence.instant.day, row.disposition.value) for row in rows]


def dates(stage: Stage, job: str = "tell") -> list[str]:
    return sorted(row.date for row in stage.store.runs(job))


def test_it_fires_for_the_instant_and_the_data_date_of_the_other() -> None:
    stage = Stage()
    by = scheduler(stage, UP, DOWN, LAST)
    pass_seconds(stage, by, 2 * HOUR)
    [row] = stage.store.ledger("tell", START, START + timedelta(days=1))
    assert (row.disposition, row.run) == ("started", "tell.20260302T100000Z.1")
    assert row.evidence["after"] == "load.20260302T100000Z.1"
    assert row.occurrence.data == stage.store.load("load.20260302T100000Z.1").data
    assert {run.job: run.state for run in stage.store.runs()} == dict.fromkeys(("load", "tell", "file"), "succeeded")


def test_it_fires_once_a_date_also_when_the_other_is_run_again() -> None:
    stage = Stage()
    by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, 2 * HOUR)
    [up] = stage.store.runs("load")
    stage.store.create([Birth(again(stage.store, UP, stage.store.load(up.id), stage.clock.now()))])
    pass_seconds(stage, by, HOUR)
    assert len(stage.store.runs("load")) == 2
    assert ledger(stage) == [(2, "started")]


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_it_fires_once_whatever_kept_the_daemon_from_it(how: str) -> None:
    """The other one is done, and nobody looks before five hours have passed."""
    stage = Stage()
    by = scheduler(stage, UP, DOWN)
    stage.clock.advance(HOUR)
    by.tick()
    stage.clock.advance(5 * HOUR)
    assert [row.state for row in stage.store.runs("load")] == ["succeeded"]
    if how == "killed":
        stage.restart()
        by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, 120)
    assert ledger(stage) == [(2, "late_started")]
    assert len(stage.store.runs("tell")) == 1


def test_one_that_a_person_ran_for_a_date_is_not_run_again_when_the_other_has_done_it() -> None:
    stage = Stage()
    by = scheduler(stage, UP, DOWN)
    stage.plans.keep(DOWN.plan)
    day = (START - timedelta(days=1)).date()
    asked = request(stage.store, DOWN, day, stage.clock.now(), ZONE_DATA)
    stage.store.create([Birth(asked.run)])
    pass_seconds(stage, by, 2 * HOUR)
    [row] = stage.store.ledger("tell", START, START + timedelta(days=1))
    assert (row.disposition, row.run) == ("started", asked.run.id)
    assert row.reason == "a person ran it before it was accounted for"
    assert len(stage.store.runs("tell")) == 1
    assert not request(stage.store, DOWN, day, stage.clock.now(), ZONE_DATA).new


def test_what_another_process_carried_is_followed_as_well() -> None:
    stage = Stage()
    by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, HOUR / 2)
    stage.plans.keep(UP.plan)
    asked = request(stage.store, UP, (START - timedelta(days=3)).date(), stage.clock.now(), ZONE_DATA)
    stage.store.create([Birth(asked.run)], owner="a command")
    pass_seconds(stage, by, 120)
    assert dates(stage) == ["2026-02-27"]


@pytest.mark.parametrize("restart", [False, True])
def test_a_clock_that_is_set_back_while_the_other_is_at_work_loses_nothing(*, restart: bool) -> None:
    stage = Stage(lambda _: succeed(seconds=50))
    by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, HOUR)
    stage.clock.step(-2 * HOUR)
    pass_seconds(stage, by, 55, step=5)
    if restart:
        stage.restart()
        by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, 300)
    assert stage.store.runs("load")[0].ended_at < START  # type: ignore[operator]  # it has ended
    assert ledger(stage) == [(2, "started")]


def test_a_failure_makes_nothing_due_and_its_success_later_does() -> None:
    good: list[int] = []

    def look(call: Call) -> Play:
        bad = call.id.startswith("load") and not good
        return fail(Kind.DENIED) if bad else succeed()

    stage = Stage(look)
    by = scheduler(stage, UP, DOWN)
    pass_seconds(stage, by, 2 * HOUR)
    [up] = stage.store.runs("load")
    assert (up.state, ledger(stage)) == (RunState.FAILED, [])
    good.append(1)
    stage.store.create([Birth(again(stage.store, UP, stage.store.load(up.id), stage.clock.now()))])
    pass_seconds(stage, by, 120)
    assert ledger(stage) == [(2, "started")]


def test_each_date_waits_in_line_for_the_one_before() -> None:
    slow = replace(DOWN, plan=make_plan([Step("a", "look"), Step("b", "look", needs=("a",))], job="tell"))
    stage = Stage(lambda call: succeed(seconds=50 if call.id.startswith("tell") else 1))
    often = replace(UP, schedule=make_job(UP.plan, "* 10 * * *").schedule)
    by = scheduler(stage, often, slow)
    pass_seconds(stage, by, HOUR + 300, step=5)
    assert len(stage.store.runs("tell")) < len(stage.store.runs("load"))
    pass_seconds(stage, by, 4 * HOUR, step=10)
    assert [row.state for row in stage.store.runs("tell", limit=100)] == ["succeeded"] * 60


def test_while_it_is_paused_it_stays_owed_and_runs_once_it_is_resumed() -> None:
    stage = Stage()
    by = scheduler(stage, UP, DOWN)
    stage.store.pause(Pause("tell", START, "ada"))
    pass_seconds(stage, by, 30 * HOUR, step=300)
    assert ledger(stage) == []
    stage.store.resume("tell", stage.clock.now(), "ada")
    pass_seconds(stage, by, 300)
    assert ledger(stage) == [(2, "late_started"), (3, "late_started")]


def test_what_was_owed_for_too_long_is_missed() -> None:
    stage = Stage()
    brief = replace(DOWN, timing=Timing(start_within=timedelta(hours=1)))
    by = scheduler(stage, UP, brief)
    stage.store.pause(Pause("tell", START, "ada"))
    pass_seconds(stage, by, 3 * HOUR, step=300)
    assert ledger(stage) == [(2, "skipped_paused")]


def test_with_overlap_allowed_they_run_side_by_side() -> None:
    stage = Stage(lambda call: succeed(seconds=50 if call.id.startswith("tell") else 1))
    wide = replace(DOWN, timing=Timing(overlap=Overlap.ALLOW))
    often = replace(UP, schedule=make_job(UP.plan, "0-3 10 * * *").schedule)
    stage.store.pause(Pause("tell", START, "ada"))
    by = scheduler(stage, often, wide)
    pass_seconds(stage, by, HOUR + 300)
    stage.store.resume("tell", stage.clock.now(), "ada")
    by.tick()
    assert len(stage.store.runs("tell")) == 4


class TestEdits:
    def test_a_follower_never_seen_before_owes_nothing(self) -> None:
        stage = Stage()
        by = scheduler(stage, UP)
        pass_seconds(stage, by, 2 * HOUR)
        by.reload({"load": UP, "tell": DOWN})
        pass_seconds(stage, by, HOUR)
        assert ledger(stage) == []

    def test_one_that_is_removed_has_what_it_owes_cancelled(self) -> None:
        stage = Stage()
        by = scheduler(stage, UP, DOWN)
        stage.store.pause(Pause("tell", START, "ada"))
        pass_seconds(stage, by, 2 * HOUR)
        by.reload({"load": UP})
        pass_seconds(stage, by, 60)
        assert ledger(stage) == [(2, "cancelled")]

    def test_one_whose_file_has_faults_is_blocked(self) -> None:
        stage = Stage()
        by = scheduler(stage, UP, DOWN)
        by.reload({"load": UP}, Absent({"tell": "jobs/tell.yaml:3:1: unknown key"}))
        pass_seconds(stage, by, 2 * HOUR)
        assert ledger(stage) == [(2, "blocked_invalid")]
