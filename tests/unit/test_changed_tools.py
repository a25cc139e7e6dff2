"""A run follows the plan that it was started with, and only the tools that this plan knows (CB-063)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.domain.compatible import incompatible
from daemon.domain.defaults import Limits
from daemon.domain.model import Run, RunState, StepState
from daemon.domain.plan import Exhausted, Step
from daemon.domain.tool import Effect, ToolSpec
from daemon.testing.plays import Script, hang
from daemon.testing.stage import Stage
from daemon.testing.tools import LOOK, SEND, TOOLS, make_plan

STEPS = [Step("query", "look"), Step("kpis", "look", needs=("query",)), Step("post", "send", needs=("kpis",))]


def crashed_at_kpis(tools: Mapping[str, ToolSpec], on_exhausted: Exhausted = Exhausted.ESCALATE) -> tuple[Stage, str]:
    """Killed while the second step ran; the next daemon finds these tools."""
    stage = Stage(Script({("kpis", 1): hang()}))
    run_id = stage.begin(make_plan([replace(each, on_exhausted=on_exhausted) for each in STEPS]))
    stage.clock.advance(1.0)
    stage.outside = replace(stage.outside, tools=tools)
    stage.restart()
    return stage, run_id


def resumed(tools: Mapping[str, ToolSpec], on_exhausted: Exhausted = Exhausted.ESCALATE) -> tuple[Stage, Run]:
    stage, run_id = crashed_at_kpis(tools, on_exhausted)
    stage.executor.drive(run_id)
    stage.clock.advance(60.0)
    return stage, stage.store.load(run_id)


def test_new_code_under_the_same_contract_is_met_by_a_resumed_run() -> None:
    _, run = resumed({**TOOLS, "look": replace(LOOK, digest="new code", path="/elsewhere/look.py")})
    assert run.state is RunState.SUCCEEDED


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (None, "no longer there"),
        (replace(LOOK, version="2"), "its version was '1' and is '2'"),
        (replace(LOOK, effect=Effect.IDEMPOTENT), "its effect was none and is idempotent"),
        (replace(LOOK, input_schema={"type": "object", "required": ["x"]}), "its input has changed"),
        (replace(LOOK, output_schema={"type": "array"}), "its output has changed"),
    ],
)
def test_a_tool_that_is_gone_or_different_stops_the_run_and_asks(now: ToolSpec | None, words: str) -> None:
    rest = {name: tool for name, tool in TOOLS.items() if name != "look"}
    stage, run = resumed(rest | ({"look": now} if now else {}))
    [question] = run.escalations.values()
    assert words in question.question
    assert run.steps["query"].state is StepState.DONE
    assert [call.id.split(".")[-2] for call in stage.runner.calls].count("query") == 0


def test_a_step_that_may_fail_fails_as_misconfigured_and_says_why() -> None:
    _, run = resumed({"send": SEND}, on_exhausted=Exhausted.FAIL)
    assert run.state is RunState.FAILED
    assert "misconfigured: the tool 'look', which this run was planned with, is no longer there" in run.reason


def test_a_tool_that_only_a_finished_step_used_may_go() -> None:
    stage = Stage(Script({("post", 1): hang()}))
    run_id = stage.begin(make_plan([Step("query", "look"), Step("post", "mend", needs=("query",))]))
    stage.clock.advance(1.0)
    stage.outside = replace(stage.outside, tools={"mend": TOOLS["mend"]})
    stage.restart()
    assert stage.play(run_id).state is RunState.SUCCEEDED


def test_a_person_who_puts_the_tool_back_lets_the_run_go_on() -> None:
    stage, run_id = crashed_at_kpis({"send": SEND})
    stage.executor.drive(run_id)
    stage.outside = replace(stage.outside, tools=TOOLS)
    stage.restart("third")
    stage.answer(run_id, "retry")
    assert stage.play(run_id).state is RunState.SUCCEEDED


def test_a_receiver_that_can_no_longer_be_asked_is_a_change() -> None:
    assert "can no longer be asked" in incompatible(SEND, replace(SEND, reconcile=False))


def test_a_removed_or_reordered_step_of_a_new_definition_does_not_touch_a_run_that_began() -> None:
    """The resumed run is never read by index into the new list: it follows its own plan."""
    stage, run_id = crashed_at_kpis(TOOLS)
    stage.plans.keep(make_plan([Step("clean", "look"), *reversed(STEPS[:1])]))
    run = stage.play(run_id)
    assert [name for name, at in run.steps.items() if at.state is StepState.DONE] == ["query", "kpis", "post"]


@pytest.mark.parametrize(
    ("job", "after", "receiver"),
    [
        pytest.param("elsewhere", 1.0, "#a", id="CB-063 job removed"),
        pytest.param("report", 1.0, "#b", id="CB-063 channel changed"),
        pytest.param("report", 8 * 86_400.0, "#a", id="CB-063 report day older than seven days"),
    ],
)
def test_a_run_that_was_begun_keeps_its_plan_its_channel_and_its_day(job: str, after: float, receiver: str) -> None:
    """Neither a job that is gone, nor a new channel, nor a long outage changes what was asked for."""
    longer = Limits(deadline=timedelta(days=30))
    steps = [STEPS[0], STEPS[1], replace(STEPS[2], inputs={"to": "#a"})]
    stage = Stage(Script({("kpis", 1): hang()}))
    run_id = stage.begin(make_plan(steps, limits=longer))
    day = stage.store.load(run_id).data
    stage.clock.advance(1.0)
    stage.restart()
    stage.plans.keep(make_plan([replace(steps[2], needs=(), inputs={"to": receiver})], job=job, limits=longer))
    stage.clock.advance(after)
    run = stage.play(run_id)

    assert (run.state, run.data) == (RunState.SUCCEEDED, day)
    assert [call.input["to"] for call in stage.runner.calls if call.tool == "send"] == ["#a"]
