"""What goes wrong is told once, with a count, and is over when it is well again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.alert_outbox import AlertOutbox
from daemon.domain.errors import Kind
from daemon.domain.model import RunState
from daemon.domain.plan import Exhausted, Plan, Step
from daemon.domain.streak import failures_in_a_row
from daemon.ports import Notice, Severity
from daemon.runtime.observers import Observers
from daemon.runtime.streaks import Streaks
from daemon.testing.plays import Script, fail, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan

OK, BAD, GONE, OPEN = RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.RUNNING


class Office:
    """A stage whose events reach an outbox of alerts, and where jobs that fail in a row are noticed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "alerts"
        self.plays: dict[Any, Any] = {}
        self.stage = Stage(Script(self.plays))
        self.observers = Observers([AlertOutbox(self.folder, self.stage.clock)])
        self.observers.add(Streaks(lambda: self.stage.store, lambda: self.stage.store, self.observers.notice))
        self.stage.outside = replace(self.stage.outside, sink=self.observers)
        self.stage.restart()

    def alerts(self) -> dict[str, dict[str, Any]]:
        files = sorted(self.folder.glob("*.json"))
        return {alert["topic"]: alert for alert in (json.loads(path.read_text()) for path in files)}

    def run(self, plan: Plan) -> None:
        self.stage.run(plan)
        self.stage.clock.advance(3600.0)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def failing(on_exhausted: Exhausted = Exhausted.FAIL) -> Plan:
    return make_plan([Step("query", "look", title="Read orders", on_exhausted=on_exhausted)])


def test_a_failed_run_says_job_date_step_cause_and_what_happens_next(office: Office) -> None:
    office.plays["query"] = fail(Kind.DENIED, "password refused")
    office.run(failing())
    alert = office.alerts()["failed"]
    assert (alert["job"], alert["data_date"], alert["step"]) == ("report", "2026-03-01", "query")
    assert "password refused" in alert["cause"]
    assert "clockwright run report --date 2026-03-01" in alert["next"]


def test_the_same_failure_again_is_counted_and_not_told_twice(office: Office) -> None:
    office.plays["query"] = fail(Kind.DENIED, "password refused")
    for _ in range(2):
        office.run(failing())
    alert = office.alerts()["failed"]
    assert alert["count"] == 2
    assert alert["first_at"] < alert["last_at"]
    assert len(list(office.folder.iterdir())) == 1


def test_a_success_closes_what_was_open_and_the_next_failure_counts_anew(office: Office) -> None:
    for play, state, count in (
        (fail(Kind.DENIED), "open", 1),
        (succeed(), "recovered", 1),
        (fail(Kind.DENIED), "open", 1),
    ):
        office.plays["query"] = play
        office.run(failing())
        assert (office.alerts()["failed"]["state"], office.alerts()["failed"]["count"]) == (state, count)


def test_a_question_says_how_to_answer_and_what_happens_otherwise(office: Office) -> None:
    office.plays["query"] = fail(Kind.DENIED, "password refused")
    office.run(failing(Exhausted.ESCALATE))
    alert = office.alerts()["asked"]
    assert "clockwright escalations answer report" in alert["next"]
    assert alert["next"].startswith("abort at ")


def test_three_failed_runs_in_a_row_are_told(office: Office) -> None:
    office.plays["query"] = fail(Kind.DENIED, "password refused")
    for _ in range(3):
        assert "failing_in_a_row" not in office.alerts()
        office.run(failing())
    assert "has failed 3 times in a row" in office.alerts()["failing_in_a_row"]["text"]


def test_the_third_failed_run_in_a_row_pauses_the_job_and_a_pause_of_a_person_stays(office: Office) -> None:
    office.plays["query"] = fail(Kind.DENIED, "password refused")
    for _ in range(3):
        assert office.stage.store.pauses() == []
        office.run(failing())
    [pause] = office.stage.store.pauses()
    assert (pause.job, pause.by, pause.why) == ("report", "clockwright", "it has failed 3 times in a row")
    office.stage.store.pause(replace(pause, by="ada"))
    office.run(failing())
    assert [pause.by for pause in office.stage.store.pauses()] == ["ada"]


@pytest.mark.parametrize(
    ("trouble", "cure"),
    [
        (Notice("reload_refused", "jobs/a.yaml:3:1: unknown key"), Notice("reloaded", "3 jobs")),
        (Notice("config_fault", "jobs/a.yaml:3:1: unknown key"), Notice("reloaded", "3 jobs")),
        (Notice("overdue", "daily has not started", job="daily"), Notice("recovered", "daily", job="daily")),
        (Notice("overdue", "9 jobs are overdue"), Notice("recovered", "daily", job="daily")),
        (Notice("clock_jumped", "the wall clock jumped"), Notice("serving", "this daemon serves")),
    ],
)
def test_whatever_people_are_told_of_the_daemon_is_a_file_until_it_is_well(
    office: Office, trouble: Notice, cure: Notice
) -> None:
    outbox = AlertOutbox(office.folder, office.stage.clock)
    outbox.notice(trouble)
    alert = office.alerts()[trouble.topic]
    assert (alert["state"], alert["cause"], bool(alert["next"])) == ("open", trouble.message, True)
    outbox.notice(Notice("recovered", "weekly", job="weekly") if trouble.job else Notice("page", "the page"))
    assert office.alerts()[trouble.topic]["state"] == "open"
    outbox.notice(cure)
    assert office.alerts()[trouble.topic]["state"] == "recovered"


def test_store_trouble_is_open_until_the_store_answers(tmp_path: Path, office: Office) -> None:
    outbox = AlertOutbox(office.folder, office.stage.clock)
    outbox.notice(Notice("store_trouble", "the disk is full: free some space", Severity.CRITICAL))
    assert office.alerts()["store_trouble"]["state"] == "open"
    outbox.notice(Notice("store_recovered", "the store answers again"))
    assert office.alerts()["store_trouble"]["state"] == "recovered"


def test_what_is_no_trouble_makes_no_file(office: Office) -> None:
    AlertOutbox(office.folder, office.stage.clock).notice(Notice("standing_by", "another leads", Severity.INFO))
    office.run(failing())
    assert not office.folder.exists()


def test_a_file_that_cannot_be_read_is_written_anew(office: Office) -> None:
    outbox = AlertOutbox(office.folder, office.stage.clock)
    outbox.notice(Notice("lease_lost", "another daemon took over"))
    [path] = office.folder.iterdir()
    path.write_text("{")
    outbox.notice(Notice("lease_lost", "another daemon took over"))
    assert office.alerts()["lease_lost"]["count"] == 1


@pytest.mark.parametrize(
    ("states", "failures"),
    [([], 0), ([OK], 0), ([BAD, BAD, OK, BAD], 2), ([OPEN, BAD, GONE, BAD, BAD, RunState.DEGRADED], 3)],
)
def test_a_streak_is_counted_from_the_newest_run_that_tells_something(states: list[RunState], failures: int) -> None:
    assert failures_in_a_row(states) == failures
