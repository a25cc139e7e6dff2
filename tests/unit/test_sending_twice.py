"""The same effect is delivered once for all runs of a day, unless a person asks to send it again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from daemon.domain.model import Purpose, Run, RunState, StepState
from daemon.domain.plan import Step
from daemon.runtime.requests import request, send_again
from daemon.testing.memory_store import MemoryStore
from daemon.testing.plays import Script, lose_answer
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

PLAN = make_plan([Step("post", "send", inputs={"to": "#sales"})])
JOB = make_job(PLAN, None)


class HasLatest(MemoryStore):
    """A store whose newest run is the given one."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._newest = run

    def latest(self, job: str, instant: datetime) -> Run | None:  # noqa: ARG002 - the port's signature
        return self._newest


def carry(stage: Stage, run: Run) -> Run:
    stage.plans.keep(PLAN)
    stage.executor.begin(run, PLAN)
    return stage.play(run.id)


def arrived(stage: Stage) -> int:
    return len(stage.runner.receiver.parcels)


def test_a_new_revision_adopts_what_was_delivered_and_says_so() -> None:
    stage = Stage()
    first = stage.run(PLAN)
    second = stage.play(stage.begin(PLAN, revision=2))
    assert second.state is RunState.SUCCEEDED
    assert second.steps["post"].output == first.steps["post"].output
    assert arrived(stage) == 1


def test_asked_to_send_again_it_is_delivered_once_more_and_it_is_known_who_asked() -> None:
    stage = Stage()
    first = stage.run(PLAN)
    again = carry(stage, send_again(JOB, [first], stage.clock.now(), "ada"))
    assert (again.revision, again.send, again.cause, again.data) == (2, 1, "sent again by ada", first.data)
    assert arrived(stage) == 2


def test_each_time_it_is_asked_for_counts() -> None:
    stage = Stage()
    first = stage.run(PLAN)
    second = carry(stage, send_again(JOB, [first], stage.clock.now(), "ada"))
    third = carry(stage, send_again(JOB, [second, first], stage.clock.now(), "bob"))
    assert (third.revision, third.send) == (3, 2)
    assert arrived(stage) == 3


def test_a_plain_request_after_a_resend_that_failed_does_not_send_a_third_time() -> None:
    stage = Stage()
    first = stage.run(PLAN)
    second = carry(stage, send_again(JOB, [first], stage.clock.now(), "ada"))
    asked = request(
        HasLatest(replace(second, state=RunState.FAILED)), JOB, first.data.day, stage.clock.now(), ZONE_DATA
    )
    assert (asked.new, asked.run.send) == (True, 1)


def test_what_was_never_sent_or_is_under_way_is_not_sent_again() -> None:
    stage = Stage()
    with pytest.raises(ValueError, match="nothing was sent"):
        send_again(JOB, [], stage.clock.now(), "ada")
    open_run = replace(stage.run(PLAN), state=RunState.RUNNING)
    with pytest.raises(ValueError, match="has not ended"):
        send_again(JOB, [open_run], stage.clock.now(), "ada")


def test_an_intent_that_another_run_left_is_asked_about_before_anything_is_sent() -> None:
    """The first run was killed after the receiver took it; the second run never posts."""
    stage = Stage(Script({("post", 1): lose_answer(seconds=50.0)}))
    stage.begin(PLAN)
    stage.clock.advance(30.0)
    assert arrived(stage) == 1
    stage.restart()
    second = stage.play(stage.begin(PLAN, revision=2))
    assert second.steps["post"].state is StepState.DONE
    assert next(call.purpose for call in stage.runner.calls) is Purpose.RECONCILE
    assert arrived(stage) == 1


def test_an_intent_of_another_run_that_never_arrived_is_sent_once_it_is_certain() -> None:
    stage = Stage(Script({("post", 1): lose_answer(seconds=50.0)}))
    first = stage.begin(PLAN)
    stage.clock.advance(1.0)
    stage.restart()
    second = stage.begin(PLAN, revision=2)
    for _ in range(200):
        for run_id in stage.store.due(stage.clock.now(), stage.outside.owner, 10):
            stage.executor.drive(run_id)
        stage.clock.advance(1.0)
    assert [stage.store.load(run_id).state for run_id in (first, second)] == [RunState.SUCCEEDED] * 2
    assert arrived(stage) == 1
