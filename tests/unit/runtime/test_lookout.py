"""It did not run, or not to its end, and somebody is told: once, with the cause."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from daemon.domain.job import Job
from daemon.domain.manners import Manners
from daemon.domain.pause import EVERYTHING, Pause
from daemon.domain.plan import Step
from daemon.domain.timing import Overlap, Timing
from daemon.ports import Birth
from daemon.runtime.alert_intake import AlertIntake
from daemon.runtime.alerter import Alerter
from daemon.runtime.lookout import Lookout, Sources
from daemon.runtime.outside import Fence
from daemon.runtime.requests import request
from daemon.runtime.scheduler import Scheduler
from daemon.runtime.teller import Teller, Ways
from daemon.testing.fake_clock import START
from daemon.testing.memory_signs import MemorySigns
from daemon.testing.plays import Script, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

HOUR = 3600.0
DAILY = make_job(make_plan([Step("ask", "look")], job="daily"), "0 10 * * *")
"""Due an hour after the clock's start."""


class Duty:
    """A scheduler that leads."""

    def __init__(self, stage: Stage, jobs: dict[str, Job]) -> None:
        self.scheduler = Scheduler(stage.outside, stage.plans, stage.executor, jobs, ZONE_DATA)

    def lead(self) -> bool:
        return True

    def take_over(self) -> None:
        self.scheduler.adopt()

    def take_up(self) -> None:
        self.scheduler.take_up()

    def tick(self) -> datetime:
        return self.scheduler.tick()

    def stand_down(self) -> None:
        raise AssertionError("nobody else leads here")


def lookout(stage: Stage, *jobs: Job) -> Lookout:
    by_id = {job.id: job for job in jobs}
    sources = Sources(MemorySigns(stage.store), stage.store, stage.store, stage.store.alerts, lambda: by_id)
    made = Lookout(Duty(stage, by_id), sources, stage.clock, stage.sink)
    made.take_over()
    made.tick()
    return made


def pass_seconds(stage: Stage, by: Lookout, seconds: float, step: float = 30.0) -> None:
    for _ in range(int(seconds // step)):
        stage.clock.advance(step)
        by.tick()


def told(stage: Stage) -> list[tuple[str, str]]:
    return [(one.topic, one.message) for one in stage.sink.notices if one.topic in {"overdue", "recovered"}]


def test_a_job_in_time_is_not_spoken_of() -> None:
    stage = Stage()
    by = lookout(stage, DAILY)
    pass_seconds(stage, by, 30 * HOUR, step=300)
    assert told(stage) == []
    assert len(stage.store.runs()) == 2


@pytest.mark.parametrize("job", ["daily", EVERYTHING])
def test_a_paused_job_is_told_once_with_who_paused_it_and_once_more_when_it_is_well(job: str) -> None:
    stage = Stage()
    by = lookout(stage, DAILY)
    stage.store.pause(Pause(job, START, "ada", "the source is moved"))
    pass_seconds(stage, by, 3 * HOUR)
    [(topic, text)] = told(stage)
    assert topic == "overdue"
    assert text.startswith("daily, due 2026-03-02 10:00 (UTC), has not started by 2026-03-02 10:01:00: ")
    assert text.endswith("paused by ada: the source is moved")
    stage.store.resume(job, stage.clock.now(), "ada")
    pass_seconds(stage, by, 120)
    assert [topic for topic, _ in told(stage)] == ["overdue", "recovered"]


def test_each_instant_is_told() -> None:
    stage = Stage()
    by = lookout(stage, DAILY)
    stage.store.pause(Pause("daily", START, "ada"))
    pass_seconds(stage, by, 26 * HOUR, step=120)
    assert [text[:27] for topic, text in told(stage) if topic == "overdue"] == [
        "daily, due 2026-03-02 10:00",
        "daily, due 2026-03-03 10:00",
    ]


def test_what_came_due_while_no_daemon_was_at_work_is_told_and_made_good() -> None:
    stage = Stage()
    lookout(stage, DAILY)
    stage.clock.advance(2 * HOUR)
    stage.restart()
    by = lookout(stage, DAILY)
    pass_seconds(stage, by, 60)
    [(_, first), (topic, _)] = told(stage)
    assert "no daemon was at work until 2026-03-02 11:00:00Z" in first
    assert topic == "recovered"
    assert len(stage.store.runs()) == 1


def test_a_process_that_stood_still_says_for_how_long() -> None:
    stage = Stage()
    by = lookout(stage, DAILY)
    stage.clock.advance(2 * HOUR)
    by.tick()
    assert "this daemon stood still for 2:00:00" in told(stage)[0][1]


def test_a_run_that_waits_for_a_person_beyond_its_time_says_so() -> None:
    asked = replace(DAILY, plan=make_plan([Step("ask", "look", approve=True)], job="daily"))
    stage = Stage()
    by = lookout(stage, replace(asked, timing=Timing(finish_within=timedelta(minutes=30))))
    pass_seconds(stage, by, 2 * HOUR)
    [(_, text)] = told(stage)
    assert "has not ended by 2026-03-02 10:30:00" in text
    assert "waits for a person: Approve ask?" in text


def test_a_day_that_a_person_fills_in_is_not_late_for_being_long_ago() -> None:
    hour = replace(DAILY, timing=Timing(finish_within=timedelta(minutes=30)))
    asked = replace(hour, plan=make_plan([Step("ask", "look", approve=True)], job="daily"))
    stage = Stage()
    by = lookout(stage, asked)
    stage.plans.keep(asked.plan)
    run = request(stage.store, asked, date(2026, 1, 5), stage.clock.now(), ZONE_DATA).run
    stage.store.create([Birth(run)])
    pass_seconds(stage, by, 29 * 60)
    assert told(stage) == []
    pass_seconds(stage, by, 120)
    [(topic, text)] = told(stage)
    assert (topic, "has not ended by 2026-03-02 09:30:00" in text) == ("overdue", True)


def test_a_run_that_hangs_says_which_step_is_at_work() -> None:
    stage = Stage(Script(otherwise=succeed(seconds=50)))
    by = lookout(stage, replace(DAILY, timing=Timing(finish_within=timedelta(seconds=5))))
    pass_seconds(stage, by, HOUR + 30, step=15)
    assert "ask is at work" in told(stage)[0][1]


def test_a_run_that_finds_no_room_says_that_it_is_queued() -> None:
    stage = Stage(Script(otherwise=succeed(seconds=59)))
    others = [
        replace(DAILY, id=f"other-{n}", timing=Timing(priority=9, finish_within=timedelta(hours=1))) for n in range(30)
    ]
    by = lookout(stage, DAILY, *others)
    pass_seconds(stage, by, HOUR + 120, step=15)
    assert any("daily" in text and "is queued: as many runs" in text for _, text in told(stage))


def test_what_waits_in_line_behind_an_earlier_run_is_not_late() -> None:
    steps = [Step("a", "look"), Step("b", "look", needs=("a",))]
    slow = make_job(make_plan(steps, job="daily"), "* * * * *")
    stage = Stage(Script(otherwise=succeed(seconds=50)))
    by = lookout(stage, replace(slow, timing=Timing(overlap=Overlap.QUEUE)))
    pass_seconds(stage, by, 1200, step=10)
    assert told(stage) == []


def test_many_jobs_late_for_one_cause_are_one_notice() -> None:
    stage = Stage()
    by = lookout(stage, *(replace(DAILY, id=f"job-{n}") for n in range(9)))
    stage.store.pause(Pause(EVERYTHING, START, "ada"))
    pass_seconds(stage, by, 2 * HOUR)
    [(_, text)] = told(stage)
    assert text == ("9 jobs (job-0, job-1, job-2, job-3, job-4 and 4 more) are overdue: everything was paused by ada")


class TestRestarts:
    """What was told stands in the alert book, which another daemon reads."""

    @staticmethod
    def restarted(stage: Stage, *jobs: Job) -> Lookout:
        """The alerts keep what was said so far; then the daemon is killed and another one starts."""
        book = stage.store.alerts
        ways, manners = Ways(None, None, None), Manners()
        teller = Teller(stage.clock, lambda: ways, lambda: manners, lambda _: (), stage.sink.notice)
        intake = AlertIntake(book, stage.store, stage.store, dict)
        alerter = Alerter(book, intake, teller, lambda: manners, stage.clock, Fence())
        for one in stage.sink.notices:
            alerter.notice(one)
        alerter.turn()
        stage.clock.advance(HOUR)
        stage.restart()
        stage.sink.notices.clear()
        return lookout(stage, *jobs)

    def test_what_is_still_late_is_not_told_again(self) -> None:
        stage = Stage()
        by = lookout(stage, DAILY)
        stage.store.pause(Pause("daily", START, "ada"))
        pass_seconds(stage, by, 2 * HOUR)
        for _ in range(3):
            by = self.restarted(stage, DAILY)
            pass_seconds(stage, by, 60)
            assert told(stage) == []
        stage.store.resume("daily", stage.clock.now(), "ada")
        pass_seconds(stage, by, 60)
        assert [topic for topic, _ in told(stage)] == ["recovered"]

    def test_another_instant_that_is_late_is_told(self) -> None:
        stage = Stage()
        by = lookout(stage, DAILY)
        stage.store.pause(Pause("daily", START, "ada"))
        pass_seconds(stage, by, 2 * HOUR)
        by = self.restarted(stage, DAILY)
        pass_seconds(stage, by, 24 * HOUR, step=300)
        assert [text[:27] for _, text in told(stage)] == ["daily, due 2026-03-03 10:00"]

    def test_what_became_well_while_no_daemon_was_at_work_is_said_to_be(self) -> None:
        stage = Stage()
        by = lookout(stage, DAILY)
        stage.store.pause(Pause("daily", START, "ada"))
        pass_seconds(stage, by, 2 * HOUR)
        self.restarted(stage)
        assert [topic for topic, _ in told(stage)] == ["recovered"]

    def test_many_that_were_told_of_together_are_not_told_again(self) -> None:
        jobs = [replace(DAILY, id=f"job-{n}") for n in range(9)]
        stage = Stage()
        by = lookout(stage, *jobs)
        stage.store.pause(Pause(EVERYTHING, START, "ada"))
        pass_seconds(stage, by, 2 * HOUR)
        pass_seconds(stage, self.restarted(stage, *jobs), 60)
        assert told(stage) == []
