"""Which instants are due and unaccounted for: every one gets exactly one row, whatever happened in between."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from daemon.domain.job import Disposition, Job, LedgerRow
from daemon.domain.model import RunState
from daemon.domain.plan import Step
from daemon.ports import Stale, StoreUnavailable
from daemon.runtime.roster import MOST_OWED
from daemon.runtime.scheduler import LONGEST_SLEEP, NO_ROOM, Scheduler
from daemon.testing.fake_clock import START
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

HOURLY = make_job(make_plan([Step("a", "look")], job="hourly"))
DAILY = make_job(make_plan([Step("a", "look")], job="daily"), "0 10 * * *")
NEVER = make_job(make_plan([Step("a", "look")], job="never"), None)


def scheduler(stage: Stage, *jobs: Job) -> Scheduler:
    made = Scheduler(stage.outside, stage.plans, stage.executor, {job.id: job for job in jobs}, ZONE_DATA)
    made.adopt()
    return made


def ledger(stage: Stage, job: Job = HOURLY) -> list[LedgerRow]:
    return stage.store.ledger(job.id, START - timedelta(days=9), START + timedelta(days=9))


def hours(stage: Stage) -> list[tuple[int, str]]:
    return [(row.occurrence.instant.hour, row.disposition.value) for row in ledger(stage)]


def pass_hours(stage: Stage, by: Scheduler, number: float) -> None:
    until = stage.clock.boot() + number * 3600
    while stage.clock.boot() < until:
        look = by.tick()
        stage.clock.advance(min(until - stage.clock.boot(), max(0.001, (look - stage.clock.now()).total_seconds())))
    by.tick()


def test_a_new_job_owes_nothing_for_the_past() -> None:
    stage = Stage()
    scheduler(stage, HOURLY).tick()
    assert ledger(stage) == []
    assert stage.store.watermarks() == {"hourly": START}


def test_every_due_instant_starts_one_run_that_ends() -> None:
    stage = Stage()
    pass_hours(stage, scheduler(stage, HOURLY), 3)
    assert hours(stage) == [(10, "started"), (11, "started"), (12, "started")]
    stage.clock.advance(1)
    assert {row.state for row in stage.store.runs()} == {RunState.SUCCEEDED}


def test_of_several_owed_instants_the_latest_runs_and_takes_in_the_others() -> None:
    stage = Stage()
    late = scheduler(stage, HOURLY)
    stage.clock.advance(3.5 * 3600)
    late.tick()
    assert hours(stage) == [(10, "coalesced_into"), (11, "coalesced_into"), (12, "late_started")]
    assert len(stage.store.runs()) == 1


def test_even_of_very_many_owed_instants_only_the_latest_runs() -> None:
    stage = Stage()
    minutely = make_job(make_plan([Step("a", "look")], job="minutely"), "* * * * *")
    by = scheduler(stage, minutely)
    stage.clock.advance((MOST_OWED + 50) * 60)
    by.tick()
    [run] = stage.store.runs()
    assert run.instant == stage.clock.now()
    rows = stage.store.ledger("minutely", START, stage.clock.now() + timedelta(days=1))
    assert len(rows) == MOST_OWED + 1
    assert rows[0].since == START + timedelta(minutes=1)


def test_a_restart_accounts_for_what_was_due_meanwhile() -> None:
    stage = Stage()
    pass_hours(stage, scheduler(stage, HOURLY), 1)
    stage.clock.advance(2.1 * 3600)
    stage.restart()
    scheduler(stage, HOURLY).tick()
    assert hours(stage) == [(10, "started"), (11, "coalesced_into"), (12, "late_started")]


def test_a_tick_that_comes_twice_fires_once() -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    stage.clock.advance(3600)
    by.tick()
    by.tick()
    assert hours(stage) == [(10, "started")]


def test_two_schedulers_on_one_store_fire_once() -> None:
    stage = Stage()
    one, other = scheduler(stage, HOURLY), scheduler(stage, HOURLY)
    stage.clock.advance(3600)
    one.tick()
    other.tick()
    assert len(stage.store.runs()) == 1


def test_a_scheduler_whose_lease_has_passed_on_cannot_fire() -> None:
    stage = Stage()
    frozen = scheduler(stage, HOURLY)
    stage.outside.fence.epoch = stage.store.lead("first", 15.0) or 0
    stage.clock.advance(3600)
    stage.store.lead("second", 15.0)
    with pytest.raises(Stale, match="lease"):
        frozen.tick()
    assert ledger(stage) == []


@pytest.mark.parametrize("seconds", [-7200.0, -1.0, 1.0])
def test_a_clock_that_steps_back_fires_nothing_again(seconds: float) -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    stage.clock.advance(3600)
    by.tick()
    stage.clock.step(seconds)
    pass_hours(stage, by, 4)
    instants = [row.occurrence.instant for row in ledger(stage)]
    assert instants == sorted(set(instants))


def test_it_sleeps_until_the_next_instant_but_never_long() -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    assert by.tick() == START + LONGEST_SLEEP
    stage.clock.advance(3600 - 7)
    assert by.tick() == START + timedelta(hours=1)


def test_a_run_that_waits_is_driven_when_its_time_comes() -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    waiting = stage.begin(make_plan([Step("a", "look", approve=True)]))
    asked: datetime = next(iter(stage.store.load(waiting).escalations.values())).expires_at
    pass_hours(stage, by, 4)
    assert stage.clock.now() >= asked
    assert stage.store.load(waiting).state is RunState.FAILED


def test_what_finds_no_room_does_not_spin() -> None:
    stage = Stage()
    stage.executor.parallel = 0
    by = scheduler(stage, HOURLY)
    stage.clock.advance(3600)
    for run in range(2):
        assert by.tick() > stage.clock.now(), run
    assert NO_ROOM < LONGEST_SLEEP


def test_a_job_without_a_schedule_never_fires() -> None:
    stage = Stage()
    by = scheduler(stage, NEVER, DAILY)
    pass_hours(stage, by, 2)
    assert [row.job for row in stage.store.runs()] == ["daily"]


def test_many_jobs_due_at_once_are_fired_in_one_transaction_for_two_hundred() -> None:
    stage = Stage()
    plan = make_plan([Step("a", "look")])
    jobs = [Job(f"job-{n}", plan, HOURLY.schedule, "UTC") for n in range(450)]
    by = scheduler(stage, *jobs)
    writes: list[str] = []
    stage.store.after_commit = writes.append
    stage.executor.parallel = 0
    stage.clock.advance(3600)
    by.tick()
    assert writes.count("create") == 3
    assert len(stage.store.runs(limit=1000)) == 450


@pytest.mark.parametrize("failing", ["create", "claim", "commit"])
def test_a_tick_that_fails_is_made_good_by_the_next(failing: str) -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    stage.clock.advance(3600)
    broken = [failing]

    def fail_once(name: str) -> None:
        if name in broken:
            broken.clear()
            raise StoreUnavailable("away")

    stage.store.before_commit = fail_once
    for _ in range(2):
        try:
            by.tick()
        except StoreUnavailable:
            assert failing == "create"
        stage.clock.advance(2)
    assert hours(stage) == [(10, Disposition.STARTED.value)]
    assert stage.store.runs()[0].state is RunState.SUCCEEDED
