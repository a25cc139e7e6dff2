"""What is looked at when somebody scrapes: from a real store, bounded, and silent about what cannot be known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite

from daemon.adapters.gauges import FRESH_SECONDS, Gauges
from daemon.adapters.metric_list import LOOKED_AT
from daemon.adapters.metrics import Metrics
from daemon.adapters.sql.metered import Metered
from daemon.adapters.sql.opening import open_database
from daemon.adapters.sql.signs import OPEN_RUNS, SqlSigns
from daemon.adapters.sql.store import SqlStore
from daemon.adapters.watched import Watched
from daemon.domain.events import Escalated, RunEnded
from daemon.domain.health import Pulse
from daemon.domain.model import RunState
from daemon.domain.pause import EVERYTHING, Pause
from daemon.domain.plan import Step
from daemon.ports import LastRuns, Notice, Severity, Signs, StoreUnavailable, Vitals
from daemon.testing.fake_clock import FakeClock
from daemon.testing.tools import make_job, make_plan
from tests.builders import T0, a_birth, a_change, a_question, a_run, a_start, after, an_attempt

JOB = make_job(make_plan([Step("look", "look")], job="daily"), "0 10 * * *")


@dataclass
class Away:
    """Signs of a store that cannot be reached."""

    def vitals(self) -> Vitals:
        raise StoreUnavailable("gone")

    def last_runs(self, jobs: Collection[str]) -> Mapping[str, LastRuns]:
        raise StoreUnavailable(f"{len(jobs)} jobs")


@dataclass
class Scene:
    folder: Path
    clock: FakeClock = field(default_factory=lambda: FakeClock(T0))
    commits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.database = Metered(open_database(self.folder / "state.db"), self.commits.append)
        self.store = SqlStore(self.database)
        self.signs: Signs = SqlSigns(self.database)
        self.metrics = Metrics([JOB])
        pulse = Pulse(7, 0.0, leads=True)
        watched = Watched(self.clock, lambda: self.signs, lambda: {"daily": JOB}, lambda: pulse, lambda: 3, lambda: 0)
        self.gauges = Gauges(watched)
        self.metrics.look_at(self.gauges)

    def value(self, name: str, **labels: str) -> float | None:
        """After the moment for which one look counts."""
        self.clock.advance(FRESH_SECONDS)
        return self.metrics.registry.get_sample_value(f"clockwright_{name}", labels)

    def of_job(self, name: str) -> float | None:
        return self.value(f"job_{name}", job_name="daily")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.store.close()


def test_every_metric_of_the_list_is_exposed(scene: Scene) -> None:
    scene.gauges.notice(Notice("slack_socket_up", "Slack's socket is connected"))
    text = scene.metrics.exposition().decode()
    assert [metric.full_name for metric in LOOKED_AT if f"\n{metric.full_name}" not in text] == []


def test_a_job_shows_its_times(scene: Scene) -> None:
    assert scene.of_job("next_due_timestamp_seconds") == (T0 + timedelta(hours=1)).timestamp()
    assert scene.of_job("deadline_timestamp_seconds") == (T0 + timedelta(hours=25)).timestamp()
    assert scene.of_job("overdue") == 0
    assert scene.of_job("last_success_timestamp_seconds") == 0


def test_what_has_not_ended_is_counted_with_its_oldest(scene: Scene) -> None:
    run = a_run()
    scene.store.create([a_birth(run)])
    start = a_start(run, attempt=an_attempt(key="effect-1"))
    scene.store.commit(start)
    asked = a_question(asked=after(5))
    scene.store.commit(a_change(start.after, Escalated(after(5), asked), escalations={asked.id: asked}))
    assert scene.of_job("runs_open") == 1
    assert scene.value("outbox_depth") == 1
    assert scene.value("escalations_open") == 1
    assert scene.value("escalations_oldest_timestamp_seconds") == after(5).timestamp()
    assert len(scene.commits) == 3


def test_an_end_moves_the_last_success_and_only_a_success_does(scene: Scene) -> None:
    for number, state in enumerate((RunState.SUCCEEDED, RunState.FAILED)):
        run = a_run(f"run-{number}", at=after(number * 100))
        scene.store.create([a_birth(run)])
        ended = RunEnded(after(number * 100 + 30), state, "")
        begun = after(number * 100 + 10)
        scene.store.commit(a_change(run, ended, state=state, started_at=begun, ended_at=ended.at))
        scene.gauges.emit(run, ended)
        assert scene.of_job("last_success_timestamp_seconds") == after(30).timestamp()
    assert scene.of_job("last_duration_seconds") == 20


def test_a_long_row_of_failures_hides_neither_the_last_success_nor_the_last_duration(scene: Scene) -> None:
    for number in range(12):
        state, at = RunState.FAILED if number else RunState.SUCCEEDED, after(number * 100)
        run = a_run(f"run-{number}", at=at)
        scene.store.create([a_birth(run)])
        ended = RunEnded(at + timedelta(seconds=number), state, "")
        scene.store.commit(a_change(run, ended, state=state, started_at=at, ended_at=ended.at))
    found = scene.signs.last_runs(["daily", "another"])
    assert found == {"daily": LastRuns(T0, 11.0), "another": LastRuns()}


def test_a_paused_job_is_not_overdue(scene: Scene) -> None:
    scene.clock.advance(7200)
    assert scene.of_job("overdue") == 0, "it was never seen before, so it owes nothing"
    scene.store.revise((), {"daily": T0})
    assert scene.of_job("overdue") == 1
    scene.store.pause(Pause("daily", T0, "Ada"))
    assert (scene.of_job("overdue"), scene.of_job("paused")) == (0, 1)


def test_a_pause_of_everything_shows_in_each_job_and_in_the_line_of_the_daemon(scene: Scene) -> None:
    assert (scene.value("paused"), scene.of_job("paused")) == (0, 0)
    scene.clock.advance(5)
    scene.store.pause(Pause(EVERYTHING, T0, "Ada", "fire drill"))
    assert (scene.value("paused"), scene.of_job("paused")) == (1, 1)
    assert scene.gauges.status().startswith("everything was paused by Ada: fire drill, ")


def test_a_store_that_is_away_is_said_and_nothing_is_invented(scene: Scene) -> None:
    scene.signs = Away()
    assert scene.value("store_up") == 0
    assert scene.of_job("overdue") is None
    assert scene.value("loop_turns_total") == 7


def test_one_look_serves_all_scrapes_of_a_moment(scene: Scene) -> None:
    assert scene.value("store_up") == 1
    scene.signs = Away()
    assert scene.metrics.registry.get_sample_value("clockwright_store_up") == 1


def test_a_refused_reload_shows_until_one_is_taken(scene: Scene) -> None:
    for topic, expected in (("reload_refused", 0), ("reloaded", 1)):
        scene.gauges.notice(Notice(topic, "", Severity.INFO))
        assert scene.value("config_reload_successful") == expected


def test_the_socket_of_slack_is_up_or_down_or_not_there(scene: Scene) -> None:
    assert scene.value("slack_socket_up") is None
    for topic, value in (("slack_socket_up", 1), ("slack_socket_down", 0)):
        scene.gauges.notice(Notice(topic, "Slack's socket"))
        assert scene.value("slack_socket_up") == value


def test_a_look_reads_what_is_open_and_never_all_there_ever_was(scene: Scene) -> None:
    asked = str(OPEN_RUNS.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    plan = scene.database.read(lambda connection: connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}").all())
    assert ["runs_open" in row[3] for row in plan] == [True]
