"""Faults that people met with schedules elsewhere, by the number of their case: what a good scheduler does instead."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daemon.domain.cron import parse
from daemon.domain.plan import Step
from daemon.domain.schedule import Schedule, due_after, due_between
from daemon.runtime.scheduler import Scheduler
from daemon.testing.plays import Script, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan
from tests.unit.config.workshop import DAILY, Workshop

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC) - timedelta(microseconds=1)
SUNDAYS = ["01-04", "01-11", "01-18", "01-25", "02-01"]
NEW_YORK = "America/New_York"
WEEKDAYS = ["01-01", "01-02", "01-05", "01-06", "01-07"]


def named(case: str) -> Callable[[object], str]:
    return lambda value: f"{case} {value}" if isinstance(value, str) else ""


def fires(cron: str, count: int, form: str = "%Y-%m-%d") -> list[str]:
    return [f"{due:{form}}" for due in islice(due_after(Schedule(cron, "UTC"), NEW_YEAR), count)]


@pytest.mark.parametrize(
    ("cron", "dates"),
    [
        ("0 9 * * 0", SUNDAYS),
        ("0 9 * * 7", SUNDAYS),
        ("0 9 * * SUN", SUNDAYS),
        ("0 9 * * 1-5", WEEKDAYS),
        ("0 9 * * mon-fri", WEEKDAYS),
        ("0 9 * * 5-7", ["01-02", "01-03", "01-04", "01-09", "01-10"]),
        ("15 10 * * 1,7", ["01-04", "01-05", "01-11", "01-12", "01-18"]),
    ],
    ids=named("CB-001"),
)
def test_weekdays_are_those_of_crontab(cron: str, dates: list[str]) -> None:
    assert fires(cron, 5, "%m-%d") == dates


CB_003 = {
    "never1": "0 0 30 2 *",
    "never2": "0 10 31 4,6,9,11 *",
    "six": "0 0 10 * * *",
    "sixty": "60 10 * * *",
    "zero-step": "*/0 * * * *",
    "quartz-q": "0 10 ? * MON",
    "last": "0 10 L * *",
    "nearest": "0 10 15W * *",
    "reboot": "@reboot",
    "empty": "",
    "good": "0 10 * * *",
}


@pytest.mark.parametrize("case", ["CB-003"])
def test_what_can_never_be_due_is_refused_by_job_and_expression_and_nothing_else_is(case: str, tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    workshop = Workshop(tmp_path)
    workshop.settings("secrets: {token: {env: TOKEN}}\n")
    for name, cron in CB_003.items():
        workshop.job(DAILY.replace("id: daily", f"id: {name}").replace('"0 10 * * *"', f'"{cron}"'), name)
    began = time.process_time()
    loaded = workshop.load()
    assert time.process_time() - began < 2
    assert set(loaded.by_id) == {"last", "good"}
    told = {fault.file.rpartition("/")[2].removesuffix(".yaml"): fault.message for fault in loaded.faults}
    assert set(told) == CB_003.keys() - {"last", "good"}
    assert {name: CB_003[name] in message or message for name, message in told.items()} == dict.fromkeys(told, True)
    assert fires(CB_003["last"], 3) == ["2026-01-31", "2026-02-28", "2026-03-31"]


@pytest.mark.parametrize(
    ("cron", "dates"),
    [
        ("0 10 31 * *", ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31", "2026-10-31"]),
        ("0 10 29 2 *", ["2028-02-29", "2032-02-29"]),
        ("0 10 30 * *", ["2026-01-30", "2026-03-30", "2026-04-30", "2026-05-30", "2026-06-30", "2026-07-30"]),
    ],
    ids=named("CB-005"),
)
def test_a_month_that_lacks_the_day_is_left_out(cron: str, dates: list[str]) -> None:
    assert fires(cron, len(dates)) == dates


@pytest.mark.parametrize("case", ["CB-005"])
def test_steps_begin_anew_with_their_hour_or_day_and_aliases_are_five_fields(case: str) -> None:
    assert [int(minute) for minute in fires("*/7 * * * *", 9, "%M")] == [0, 7, 14, 21, 28, 35, 42, 49, 56]
    assert [int(hour) for hour in fires("0 */5 * * *", 5, "%H")] == [0, 5, 10, 15, 20]
    macros = {"@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@hourly": "0 * * * *"}
    assert {name: parse(name).fields for name in macros} == macros


@pytest.mark.parametrize(
    ("zone", "cron", "day", "instants"),
    [
        (NEW_YORK, "30 2 * * *", "2026-03-07", ["07T02:30:00-05:00", "08T03:00:00-04:00", "09T02:30:00-04:00"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31", ["31T01:30:00-04:00", "01T01:30:00-04:00", "02T01:30:00-05:00"]),
        ("Europe/Berlin", "30 2 * * *", "2026-10-24", ["24T02:30:00+02:00", "25T02:30:00+02:00", "26T02:30:00+01:00"]),
        ("Europe/London", "0 1 * * *", "2026-10-24", ["24T01:00:00+01:00", "25T01:00:00+01:00", "26T01:00:00+00:00"]),
    ],
    ids=named("CB-007"),
)  # fmt: skip
def test_a_daily_job_runs_once_on_the_days_of_a_change(zone: str, cron: str, day: str, instants: list[str]) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
    end = (start + timedelta(days=3)).astimezone(UTC)
    found = due_between(Schedule(cron, zone), start.astimezone(UTC) - timedelta(microseconds=1), end)
    assert [due.astimezone(ZoneInfo(zone)).isoformat()[8:] for due in found] == instants


def minutely(stage: Stage, cron: str, *steps: Step) -> Scheduler:
    job = make_job(make_plan(steps or (Step("a", "look"),), job="job"), cron)
    made = Scheduler(stage.outside, stage.plans, stage.executor, {"job": job}, ZONE_DATA)
    made.adopt()
    return made


@pytest.mark.parametrize("late", [3, 299], ids="CB-009 {} s late".format)
def test_a_scheduler_that_wakes_late_starts_the_run_all_the_same(late: int) -> None:
    stage = Stage()
    minutely(stage, "0 10 * * *")
    stage.clock.advance(3600 + late)
    stage.restart()
    minutely(stage, "0 10 * * *").tick()
    [row] = stage.store.ledger("job", stage.clock.now() - timedelta(days=1), stage.clock.now())
    run = stage.store.load(row.run or "")
    assert (run.instant, row.occurrence.instant) == (run.instant.replace(hour=10, minute=0, second=0),) * 2
    assert (row.evidence["late_seconds"], (run.queued_at - run.instant).total_seconds()) == (late, late)


@pytest.mark.parametrize("case", ["CB-011 set back over the due time", "CB-011 set forward over it"])
def test_a_due_time_that_the_clock_meets_twice_or_never_has_one_run(case: str) -> None:
    stage = Stage()
    by = minutely(stage, "0 10 * * *")
    tick(stage, by, 3600 + 300 if "back" in case else 1800)
    stage.clock.step(-420 if "back" in case else 3600)
    tick(stage, by, 60)
    assert len(stage.store.runs("job")) == 1
    tick(stage, by, 900)
    [row] = stage.store.runs("job")
    assert row.instant == row.instant.replace(hour=10, minute=0)


def tick(stage: Stage, by: Scheduler, seconds: float) -> None:
    for _ in range(int(seconds)):
        stage.clock.advance(1)
        by.tick()


@pytest.mark.parametrize("case", ["CB-012"])
def test_a_run_that_outlasts_its_period_never_runs_beside_itself_and_every_minute_is_told(case: str) -> None:
    stage = Stage(Script(otherwise=succeed(seconds=50)))
    steps = (Step("a", "look"), Step("b", "look", needs=("a",)), Step("c", "look", needs=("b",)))
    by, most = minutely(stage, "* * * * *", *steps), 0
    for _ in range(600):
        tick(stage, by, 1)
        most = max(most, sum(not row.state.ended for row in stage.store.runs("job")))
    rows = stage.store.ledger("job", stage.clock.now() - timedelta(hours=1), stage.clock.now() + timedelta(hours=1))
    told = [row.disposition.value for row in rows]
    assert most == 1
    assert 3 <= sum(row.state.ended for row in stage.store.runs("job")) <= 4
    assert 6 <= told.count("skipped_overlap") <= 7
    assert (len(told), set(told)) == (10, {"started", "skipped_overlap"})
    assert stage.sink.notices == []
