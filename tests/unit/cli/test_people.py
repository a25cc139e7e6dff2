"""What people look at, and what they do about it."""

from __future__ import annotations

import json

import pytest

from daemon.cli.exit_codes import ExitCode
from daemon.domain.errors import Kind
from daemon.domain.plan import Exhausted, Step
from daemon.testing.plays import Script, fail
from tests.unit.cli.conftest import Command
from tests.unit.cli.desk import Desk, job_of

ASKING = Step("fetch", "look", approve=True, open=("rows",))


@pytest.fixture
def asked(desk: Desk, clockwright: Command) -> dict[str, str]:
    """A run that waits for an approval: its question."""
    desk.run(job_of(ASKING))
    clockwright("runs", "list")
    [question] = json.loads(clockwright("escalations", "list", "--json")[1])
    return dict(question)


def test_runs_are_listed_newest_first(desk: Desk, clockwright: Command) -> None:
    desk.run(job_of())
    clockwright("runs", "list")
    [row] = json.loads(clockwright("runs", "list", "--json")[1])
    assert (row["job"], row["state"], row["cause"]) == ("report", "succeeded", "request")
    assert "succeeded" in clockwright("runs", "list", "--job", "report")[1]
    assert clockwright("runs", "list", "--state", "failed")[1] == "no runs\n"


def test_a_run_is_shown_with_its_failures_and_what_the_tool_printed(desk: Desk, clockwright: Command) -> None:
    desk.runner.script = Script({"fetch": fail(Kind.DENIED, "no entry")})
    desk.run(job_of(Step("fetch", "look", on_exhausted=Exhausted.FAIL)))
    name = json.loads(_only_json(clockwright, "runs", "list"))[0]["id"]
    page = clockwright("runs", "show", name)[1]
    assert "failed in" in page
    assert "fetch, attempt 1: denied: no entry\n      | looked hard" in page


def _only_json(clockwright: Command, *arguments: str) -> str:
    clockwright("runs", "list")  # what the errand said is out of the way
    return clockwright(*arguments, "--json")[1]


def test_a_run_is_cancelled_by_this_process_where_no_daemon_leads(asked: dict[str, str], clockwright: Command) -> None:
    code, out, _ = clockwright("runs", "cancel", asked["run"], "--by", "anna")
    assert (code, out) == (ExitCode.OK, f"{asked['run']}: cancelled\n")
    assert json.loads(clockwright("runs", "list", "--json")[1])[0]["reason"] == "cancelled by anna"
    assert clockwright("runs", "cancel", asked["run"])[0] == ExitCode.USAGE


def test_an_answer_moves_the_run_on(asked: dict[str, str], clockwright: Command, desk: Desk) -> None:
    code, out, _ = clockwright("escalations", "answer", asked["id"], "approve")
    assert (code, "clockwright run report --date" in out) == (ExitCode.OK, True)
    assert desk.run(job_of(ASKING)) == ExitCode.OK
    assert len(desk.runner.calls) == 1


def test_a_change_goes_into_the_retry(desk: Desk, clockwright: Command) -> None:
    job = job_of(Step("fetch", "look", open=("rows",)))
    desk.runner.script = Script({"fetch": fail(Kind.DENIED)})
    desk.run(job)
    question = json.loads(_only_json(clockwright, "escalations", "list"))[0]["id"]
    clockwright("escalations", "answer", question, "retry", "--change", "rows=3")
    desk.runner.script = Script()
    assert desk.run(job) == ExitCode.OK
    assert [call.input for call in desk.runner.calls] == [{}, {"rows": 3}]


def test_a_change_that_nothing_would_use_is_refused(asked: dict[str, str], clockwright: Command) -> None:
    code, _, err = clockwright("escalations", "answer", asked["id"], "approve", "--change", "rows=3")
    assert (code, "--change goes with 'retry' only" in err) == (ExitCode.USAGE, True)


def test_an_option_that_is_not_offered_is_refused(asked: dict[str, str], clockwright: Command) -> None:
    code, _, err = clockwright("escalations", "answer", asked["id"], "aprove")
    assert (code, "did you mean 'approve'?" in err) == (ExitCode.USAGE, True)


def test_a_locked_input_is_refused(desk: Desk, clockwright: Command) -> None:
    desk.runner.script = Script({"fetch": fail(Kind.DENIED)})
    desk.run(job_of())
    question = json.loads(_only_json(clockwright, "escalations", "list"))[0]["id"]
    code, _, err = clockwright("escalations", "answer", question, "retry", "--change", "table=1")
    assert (code, "'table' may not be changed" in err) == (ExitCode.USAGE, True)


def test_a_closed_question_says_so(asked: dict[str, str], clockwright: Command) -> None:
    clockwright("runs", "cancel", asked["run"])
    code, _, err = clockwright("escalations", "answer", asked["id"], "approve")
    assert (code, "is closed" in err) == (ExitCode.USAGE, True)


def test_nobody_asked_is_said(clockwright: Command) -> None:
    assert clockwright("escalations", "list")[1] == "nobody is asked anything\n"
