"""`run`, from request to report, on a real store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from daemon.app import Daemon
from daemon.cli.exit_codes import ExitCode
from daemon.domain.defaults import Retry
from daemon.domain.errors import Kind
from daemon.domain.job import Job
from daemon.domain.plan import Exhausted, Step
from daemon.testing.plays import Script, fail, succeed
from tests.unit.cli.desk import YESTERDAY, AtOnce, Desk, job_of

Capture = pytest.CaptureFixture[str]
SEND = Step("send", "send", inputs={"to": "#sales"}, needs=("fetch",))
ONCE = Retry(attempts=1)


def test_a_run_is_carried_to_its_end_and_says_how_it_ended(desk: Desk, capsys: Capture) -> None:
    assert desk.run(job_of()) == ExitCode.OK
    said = capsys.readouterr().out
    assert f"report for {YESTERDAY:%a %Y-%m-%d} (UTC)" in said
    assert "fetch  done: done" in said
    assert "\nsucceeded in " in said


def test_asking_again_starts_nothing_and_says_that_it_was_delivered(desk: Desk, capsys: Capture) -> None:
    desk.run(job_of())
    capsys.readouterr()
    assert desk.run(job_of()) == ExitCode.OK
    assert "This was already delivered: it succeeded at" in capsys.readouterr().out
    assert len(desk.runner.calls) == 1


def test_a_dry_run_does_not_stand_for_the_real_one(desk: Desk) -> None:
    desk.run(job_of(), dry_run=True)
    desk.run(job_of())
    assert len(desk.runner.calls) == 2


def test_what_a_delivered_message_left_is_shown_with_its_place(desk: Desk, capsys: Capture) -> None:
    output = {"state": "delivered", "location": "/somewhere/index.html"}
    desk.runner.script = Script({"send": succeed(output)})
    desk.run(job_of(Step("fetch", "look"), SEND))
    assert "message  /somewhere/index.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ending", "code"), [(Exhausted.FAIL, ExitCode.FAILED), (Exhausted.ESCALATE, ExitCode.WAITING)]
)
def test_the_exit_code_says_how_the_run_ended(desk: Desk, ending: Exhausted, code: ExitCode) -> None:
    desk.runner.script = Script({"fetch": fail(Kind.DENIED)})
    assert desk.run(job_of(Step("fetch", "look", on_exhausted=ending))) == code


def test_a_run_that_did_without_something_is_degraded(desk: Desk) -> None:
    desk.runner.script = Script({"fetch": fail(Kind.DENIED)})
    chart = Step("fetch", "look", on_exhausted=Exhausted.FAIL)
    assert desk.run(job_of(chart, Step("report", "look", needs_weak=("fetch",)))) == ExitCode.DEGRADED


def test_a_question_comes_with_the_command_that_answers_it(desk: Desk, capsys: Capture) -> None:
    desk.run(job_of(Step("fetch", "look", approve=True)))
    said = capsys.readouterr().out
    assert "waits for a person" in said
    assert "clockwright escalations answer report." in said
    assert "approve|reject|abort" in said


def test_a_failed_run_is_made_again_as_the_next_revision(desk: Desk, capsys: Capture) -> None:
    job = job_of(Step("fetch", "look", on_exhausted=Exhausted.FAIL))
    desk.runner.script = Script({"fetch": fail(Kind.DENIED)})
    desk.run(job)
    desk.runner.script = Script()
    assert desk.run(job) == ExitCode.OK
    assert ".2\n" in capsys.readouterr().out


def test_a_back_off_is_waited_for(desk: Desk) -> None:
    desk.runner.script = Script({("fetch", 1): fail(Kind.TRANSIENT)})
    step = Step("fetch", "look", retry=Retry(attempts=2, first=timedelta(milliseconds=10)))
    assert desk.run(job_of(step)) == ExitCode.OK
    assert len(desk.runner.calls) == 2


def test_an_open_request_for_a_job_without_a_schedule_is_taken_up_again(desk: Desk, capsys: Capture) -> None:
    job = job_of(Step("fetch", "look"), Step("more", "look", approve=True, needs=("fetch",)), cron=None)
    desk.run(job)
    desk.run(job)
    assert "It had begun before" in capsys.readouterr().out
    assert len(desk.runner.calls) == 1


def test_a_program_gets_one_document(desk: Desk, capsys: Capture) -> None:
    desk.run(job_of(), as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["date"]) == ("succeeded", YESTERDAY.isoformat())
    assert [step["state"] for step in told["steps"]] == ["done"]


@contextmanager
def a_leader(desk: Desk, job: Job) -> Iterator[Daemon]:
    """Another daemon over the same store that holds the lease and answers the doorbell."""
    other = Desk(desk.folder, AtOnce())
    with other.daemon(job) as daemon:
        daemon.store.lead(daemon.owner, 60)

        def answer() -> None:
            for run in daemon.store.due(daemon.clock.now(), daemon.owner, 10):
                daemon.executor.drive(run)

        daemon.doorbell.listen(answer)
        yield daemon


def test_beside_a_daemon_that_leads_the_run_is_left_to_it_and_followed(desk: Desk, capsys: Capture) -> None:
    job = job_of()
    with a_leader(desk, job):
        assert desk.run(job) == ExitCode.OK
    assert desk.runner.calls == []
    assert "a daemon is at work here" in capsys.readouterr().out
