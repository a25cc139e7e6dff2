"""What a scheduler does with what it owes: pauses, edits, outages and clocks all come out the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from daemon.domain.absent import Absent
from daemon.domain.birth import job_of
from daemon.domain.calendar import data_date
from daemon.domain.job import Job
from daemon.domain.model import Run
from daemon.domain.pause import EVERYTHING, Pause
from daemon.domain.plan import Step
from daemon.domain.schedule import Schedule
from daemon.domain.timing import CatchUp, Timing
from daemon.ports import Birth, Call, Change, StoreUnavailable
from daemon.runtime.accountant import Pace
from daemon.runtime.requests import again, request
from daemon.runtime.scheduler import Scheduler
from daemon.testing.fake_clock import START
from daemon.testing.plays import Play, Script, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan
from daemon.testing.watched_store import WatchedStore

HOUR = 3600.0
PLAN = make_plan([Step("a", "look")], job="hourly")
HOURLY = make_job(PLAN)


def scheduler(stage: Stage, *jobs: Job) -> Scheduler:
    made = Scheduler(stage.outside, stage.plans, stage.executor, {job.id: job for job in jobs}, ZONE_DATA)
    made.adopt()
    return made


def ledger(stage: Stage, job: str = "hourly") -> list[tuple[int, str]]:
    rows = stage.store.ledger(job, START - timedelta(days=9), START + timedelta(days=9))
    return [(row.occurrence.instant.hour, row.disposition.value) for row in rows]


def pass_seconds(stage: Stage, by: Scheduler, seconds: float, step: float = 5.0) -> None:
    for _ in range(int(seconds // step)):
        stage.clock.advance(step)
        by.tick()


def timed(**timing: object) -> Job:
    return replace(HOURLY, timing=Timing(**timing))  # type: ignore[arg-type]  # a test's shorthand


class Outage:
    """A watch over a store that is away while it says so."""

    away = False

    def touch(self, *, writes: bool = False) -> None:  # noqa: ARG002  # it can be neither read nor written
        if self.away:
            raise StoreUnavailable("the store is away")

    def led(self, epoch: int | None) -> None: ...

    def born(self, births: Sequence[Birth], stored: Sequence[bool]) -> None: ...

    def claimed(self, run: Run) -> None: ...

    def committed(self, change: Change) -> None: ...


class TestOutages:
    """Vector 6: down for one slot, for several, for longer than the window; by kill, by freeze, by clock step, and by
    a store that is away.
    """

    @staticmethod
    def killed(stage: Stage, by: Scheduler, seconds: float) -> Scheduler:
        stage.restart()
        stage.clock.advance(seconds)
        return scheduler(stage, *by._roster.jobs.values())

    @staticmethod
    def frozen(stage: Stage, by: Scheduler, seconds: float) -> Scheduler:
        stage.clock.advance(seconds)
        return by

    @staticmethod
    def stepped(stage: Stage, by: Scheduler, seconds: float) -> Scheduler:
        stage.clock.step(seconds)
        by.tick()
        return by

    @staticmethod
    def without_store(stage: Stage, by: Scheduler, seconds: float) -> Scheduler:
        outage = Outage()
        stage.outside = replace(stage.outside, store=WatchedStore(stage.store, outage))
        by = scheduler(stage, *by._roster.jobs.values())
        outage.away = True
        for _ in range(int(seconds // 60)):
            stage.clock.advance(60)
            with suppress(StoreUnavailable):
                by.tick()
        outage.away = False
        by.take_up()
        return by

    @pytest.mark.parametrize("catch_up", list(CatchUp))
    @pytest.mark.parametrize("hours", [1.5, 4.5, 9.5])
    def test_the_ledgers_are_identical(self, catch_up: CatchUp, hours: float) -> None:
        job = timed(catch_up=catch_up, window=timedelta(hours=6))
        ways = (self.killed, self.frozen, self.stepped, self.without_store)
        found = [self.after(how, job, hours) for how in ways]
        assert found == [found[0]] * len(ways)
        assert [at.hour for at, _, _ in found[0]] == list(range(10, 10 + len(found[0])))

    @staticmethod
    def after(
        how: Callable[[Stage, Scheduler, float], Scheduler], job: Job, hours: float
    ) -> list[tuple[datetime, str, str | None]]:
        stage = Stage()
        by = scheduler(stage, job)
        pass_seconds(stage, by, 60)
        by = how(stage, by, hours * HOUR)
        pass_seconds(stage, by, 600)
        rows = stage.store.ledger(job.id, START, START + timedelta(days=1))
        return [(row.occurrence.instant, row.disposition.value, row.run) for row in rows]


def test_cb_011_a_clock_set_back_runs_nothing_again_and_one_set_forward_is_made_good_within_a_minute() -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    pass_seconds(stage, by, HOUR + 300)
    stage.clock.step(-420)
    pass_seconds(stage, by, 600)
    assert ledger(stage) == [(10, "started")]
    stage.clock.step(HOUR)
    pass_seconds(stage, by, 60)
    assert ledger(stage) == [(10, "started"), (11, "late_started")]
    assert stage.sink.topics().count("clock_jumped") == 2


@pytest.mark.parametrize("seconds", [-HOUR, HOUR, 10 * 366 * 24 * HOUR])
def test_vector_7_a_jump_tells_once_and_repeats_nothing(seconds: float) -> None:
    stage = Stage()
    by = scheduler(stage, make_job(PLAN, "* * * * *"))
    pass_seconds(stage, by, 600)
    before = len(stage.store.runs(limit=1000))
    stage.clock.step(seconds)
    pass_seconds(stage, by, 15)
    assert len(stage.store.runs(limit=1000)) == before
    pass_seconds(stage, by, 60)
    assert stage.sink.topics().count("clock_jumped") == 1
    assert len(stage.store._tables.ledger) < 1100


def test_a_jump_of_years_waits_for_a_person() -> None:
    stage = Stage()
    by = scheduler(stage, HOURLY)
    stage.clock.step(400 * 24 * HOUR)
    pass_seconds(stage, by, 120)
    assert [pause.by for pause in stage.store.pauses()] == ["clockwright"]
    assert stage.store.runs() == []
    stage.store.resume(EVERYTHING, stage.clock.now(), "ada")
    pass_seconds(stage, by, 10)
    assert len(stage.store.runs()) == 1


def test_cb_012_a_run_that_takes_longer_than_its_period_skips_and_says_so() -> None:
    stage = Stage(Script(otherwise=succeed(seconds=50)))
    slow = make_plan(
        [Step("a", "look"), Step("b", "look", needs=("a",)), Step("c", "look", needs=("b",))], job="hourly"
    )
    by = scheduler(stage, make_job(slow, "* * * * *"))
    pass_seconds(stage, by, 600, step=1.0)
    dispositions = [row for _, row in ledger(stage)]
    assert len(dispositions) == 10
    assert 3 <= dispositions.count("started") <= 4
    assert 6 <= dispositions.count("skipped_overlap") <= 7


class TestPauses:
    def test_what_was_due_meanwhile_is_caught_up_by_the_same_rule(self) -> None:
        stage = Stage()
        by = scheduler(stage, HOURLY)
        stage.store.pause(Pause("hourly", START, "ada", "the source is moved"))
        pass_seconds(stage, by, 2.5 * HOUR, step=60)
        assert ledger(stage) == [(10, "skipped_paused")]
        stage.store.resume("hourly", stage.clock.now(), "ada")
        pass_seconds(stage, by, 60)
        assert ledger(stage) == [(10, "skipped_paused"), (11, "late_started")]

    def test_the_row_says_who_and_why(self) -> None:
        stage = Stage()
        by = scheduler(stage, timed(catch_up=CatchUp.NONE))
        stage.store.pause(Pause(EVERYTHING, START, "ada", "moving house"))
        pass_seconds(stage, by, HOUR + 60, step=60)
        [row] = stage.store.ledger("hourly", START, START + timedelta(days=1))
        assert row.reason == "everything was paused by ada: moving house"

    def test_a_pause_ends_by_itself(self) -> None:
        stage = Stage()
        by = scheduler(stage, HOURLY)
        stage.store.pause(Pause("hourly", START, "ada", "", START + timedelta(hours=1.2)))
        pass_seconds(stage, by, 1.1 * HOUR, step=60)
        assert ledger(stage) == []
        pass_seconds(stage, by, 0.2 * HOUR, step=60)
        assert ledger(stage) == [(10, "late_started")]

    def test_another_job_goes_on(self) -> None:
        stage = Stage()
        by = scheduler(stage, HOURLY, replace(HOURLY, id="other"))
        stage.store.pause(Pause("other", START, "ada"))
        pass_seconds(stage, by, HOUR + 5)
        assert (ledger(stage), ledger(stage, "other")) == ([(10, "started")], [])


class TestEdits:
    def test_vector_8_an_edited_schedule_never_fires_the_past(self) -> None:
        stage = Stage()
        by = scheduler(stage, HOURLY)
        pass_seconds(stage, by, 1.75 * HOUR, step=60)
        by.reload({"hourly": replace(HOURLY, schedule=Schedule("30 * * * *"))})
        pass_seconds(stage, by, HOUR, step=60)
        rows = stage.store.ledger("hourly", START, START + timedelta(days=1))
        assert [f"{row.occurrence.instant:%H:%M}" for row in rows] == ["10:00", "11:30"]

    def test_what_was_due_before_the_edit_belongs_to_the_old_schedule(self) -> None:
        stage = Stage()
        scheduler(stage, HOURLY)
        stage.clock.advance(1.75 * HOUR)
        stage.restart()
        by = scheduler(stage, replace(HOURLY, schedule=Schedule("30 * * * *")))
        pass_seconds(stage, by, HOUR, step=60)
        rows = stage.store.ledger("hourly", START, START + timedelta(days=1))
        assert [f"{row.occurrence.instant:%H:%M}" for row in rows] == ["10:00", "11:30"]

    def test_a_removed_job_keeps_its_history_and_cancels_what_it_owes(self) -> None:
        stage = Stage()
        scheduler(stage, HOURLY)
        stage.clock.advance(1.5 * HOUR)
        stage.restart()
        by = scheduler(stage)
        pass_seconds(stage, by, 3 * HOUR, step=60)
        assert ledger(stage) == [(10, "cancelled")]
        assert stage.store.revisions("hourly")[-1].schedule is None

    def test_a_job_whose_file_has_faults_is_blocked_and_not_removed(self) -> None:
        stage = Stage()
        by = scheduler(stage, HOURLY)
        by.reload({}, Absent({"hourly": "jobs/hourly.yaml:3:1: unknown key"}))
        pass_seconds(stage, by, 1.1 * HOUR, step=60)
        by.reload({"hourly": HOURLY})
        pass_seconds(stage, by, HOUR, step=60)
        assert ledger(stage) == [(10, "blocked_invalid"), (11, "started")]
        assert len(stage.store.revisions("hourly")) == 1

    def test_a_running_run_is_not_touched(self) -> None:
        stage = Stage(Script(otherwise=succeed(seconds=50)))
        by = scheduler(stage, HOURLY)
        pass_seconds(stage, by, HOUR + 5)
        by.reload({})
        pass_seconds(stage, by, 60)
        assert [row.state for row in stage.store.runs()] == ["succeeded"]


def test_an_instant_that_a_person_ran_early_is_started_by_that_run() -> None:
    stage = Stage()
    daily = make_job(PLAN, "0 10 * * *")
    by = scheduler(stage, daily)
    stage.plans.keep(PLAN)
    asked = request(stage.store, daily, (START - timedelta(days=1)).date(), stage.clock.now(), ZONE_DATA)
    stage.store.create([Birth(asked.run)])
    pass_seconds(stage, by, HOUR + 60, step=60)
    [row] = stage.store.ledger("hourly", START, START + timedelta(days=1))
    assert (row.disposition, row.run, row.reason) == (
        "started",
        asked.run.id,
        "a person ran it before it was accounted for",
    )
    assert len(stage.store.runs()) == 1


class TestDataDates:
    """What a run reports on is fixed with its occurrence, however and whenever the run comes about."""

    DAILY = replace(make_job(PLAN, "30 0 * * *", "Europe/Berlin"), id="hourly")
    DUE = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)

    def run(self, stage: Stage) -> Run:
        [row] = stage.store.runs("hourly", limit=1)
        run = stage.store.load(row.id)
        assert run.instant == self.DUE
        return run

    def in_time(self, stage: Stage) -> Run:
        by = scheduler(stage, self.DAILY)
        pass_seconds(stage, by, 15 * HOUR, step=300)
        return self.run(stage)

    def caught_up(self, stage: Stage) -> Run:
        scheduler(stage, self.DAILY)
        stage.clock.advance(23 * HOUR)
        stage.restart()
        pass_seconds(stage, scheduler(stage, self.DAILY), 60)
        return self.run(stage)

    def asked_for(self, stage: Stage) -> Run:
        stage.clock.advance(40 * HOUR)
        return request(stage.store, self.DAILY, date(2026, 3, 2), stage.clock.now(), ZONE_DATA).run

    def made_again_under_other_rules(self, stage: Stage) -> Run:
        """Years later, when the job has another schedule and zone and the zone data are newer ones."""
        first = self.in_time(stage)
        moved = replace(self.DAILY, timezone="Asia/Tokyo", schedule=Schedule("0 9 * * *", "Asia/Tokyo"))
        stage.clock.advance(500 * 24 * HOUR)
        stage.play(first.id)
        return again(stage.store, moved, first, stage.clock.now())

    @pytest.mark.parametrize("how", ["in_time", "caught_up", "asked_for", "made_again_under_other_rules"])
    def test_they_are_the_same(self, how: str) -> None:
        data = getattr(self, how)(Stage()).data
        assert data == data_date(self.DUE, "Europe/Berlin", ZONE_DATA)
        assert (str(data.day), data.due_local, data.timezone) == (
            "2026-03-02",
            "2026-03-03T00:30:00+01:00",
            "Europe/Berlin",
        )


def many(number: int) -> list[Job]:
    return [replace(HOURLY, id=f"job-{n:03}") for n in range(number)]


def test_late_starts_are_spread() -> None:
    stage = Stage()
    by = scheduler(stage, *many(25))
    stage.clock.advance(1.5 * HOUR)
    by.tick()
    assert len(stage.store.runs(limit=100)) == 10
    pass_seconds(stage, by, 3, step=1.0)
    assert len(stage.store.runs(limit=100)) == 25


def test_above_a_threshold_a_person_is_asked_first() -> None:
    stage = Stage()
    by = scheduler(stage, *many(25))
    by.pace = Pace(at_once=100, ask_above=20)
    stage.clock.advance(1.5 * HOUR)
    pass_seconds(stage, by, 10)
    assert stage.store.runs() == []
    assert "25 jobs have runs to catch up at once" in stage.store.pauses()[0].why
    for pause in stage.store.pauses():
        stage.store.resume(pause.job, stage.clock.now(), "ada")
    pass_seconds(stage, by, 10)
    assert len(stage.store.runs(limit=100)) == 25


def test_vector_14_of_many_due_at_once_none_is_lost_and_the_urgent_go_first() -> None:
    begun: list[str] = []

    def look(call: Call) -> Play:
        begun.append(job_of(call.id.rsplit(".", 2)[0]))
        return succeed(seconds=1)

    stage = Stage(look)
    jobs = [replace(job, timing=Timing(priority=n % 3)) for n, job in enumerate(many(60))]
    by = scheduler(stage, *jobs)
    pass_seconds(stage, by, HOUR, step=60)
    pass_seconds(stage, by, 30, step=0.5)
    assert len(begun) == 60
    assert [job.timing.priority for name in begun[:8] for job in jobs if job.id == name] == [2] * 8


def test_a_tag_limits_how_many_work_at_once() -> None:
    stage = Stage(Script(otherwise=succeed(seconds=10)))
    by = scheduler(stage, *(replace(job, tags=("warehouse",)) for job in many(6)))
    by.tag_limits = {"warehouse": 2}
    pass_seconds(stage, by, HOUR, step=60)
    assert len(stage.executor.carried) == 2
    pass_seconds(stage, by, 60, step=1.0)
    assert {row.state for row in stage.store.runs()} == {"succeeded"}
