"""A step waits for its source: durably, for so long, and then it goes on and says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from daemon.domain.defaults import Limits
from daemon.domain.errors import Kind
from daemon.domain.model import Purpose, Run, RunState, StepState
from daemon.domain.plan import Decide, Exhausted, Fresh, Plan, Step
from daemon.ports import Call
from daemon.testing.fake_clock import START
from daemon.testing.plays import Play, fail, hang, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan

GATE = Fresh("look", "output.count >= 3", every=timedelta(minutes=5), at_most=timedelta(hours=1))


def plan_of(gate: Fresh = GATE, **limits: object) -> Plan:
    steps = [Step("query", "keep", fresh=gate), Step("tell", "send", inputs={"to": "#a"}, needs=("query",))]
    return make_plan(steps, limits=Limits(**limits))  # type: ignore[arg-type]  # a test's shorthand


def counting(complete: int) -> Callable[[Call], Play]:
    """A source that has one row more at every probe, and is complete with three."""
    probes = iter(range(complete, 1000))
    return lambda call: succeed({"count": next(probes)} if call.purpose is Purpose.PROBE else {"rows": 1})


def probes(stage: Stage) -> int:
    return sum(call.purpose is Purpose.PROBE for call in stage.runner.calls)


def began(stage: Stage, run: Run) -> timedelta:
    """How long after its start the run's first real attempt came."""
    assert run.started_at is not None
    call = next(call for call in stage.runner.calls if call.purpose is Purpose.RUN)
    return call.deadline - timedelta(seconds=call.seconds) - run.started_at


def test_a_source_that_is_complete_is_asked_once() -> None:
    stage = Stage(counting(3))
    run = stage.run(plan_of())
    assert (run.state, probes(stage)) == (RunState.SUCCEEDED, 1)
    assert run.steps["query"].tries == 0


def test_it_is_asked_again_until_it_is() -> None:
    stage = Stage(counting(0))
    run = stage.run(plan_of())
    assert (run.state, run.reason, probes(stage)) == (RunState.SUCCEEDED, "", 4)
    assert timedelta(minutes=15) <= began(stage, run) < timedelta(minutes=16)


def test_after_so_long_the_run_goes_on_degraded_and_says_so() -> None:
    stage = Stage(counting(-100))
    run = stage.run(plan_of())
    assert run.state is RunState.DEGRADED
    assert run.reason.startswith("query: look was waited for from 09:00Z to 10:00Z: ")
    assert "output.count >= 3" in run.reason
    assert run.steps["query"].state is StepState.DONE
    assert run.steps["query"].missing == (f"query: {run.steps['query'].stale}",)
    assert probes(stage) == 13


def test_what_is_waited_counts_against_the_deadline_and_not_as_work() -> None:
    stage = Stage(counting(-100))
    run = stage.run(plan_of(active=timedelta(minutes=1), deadline=timedelta(hours=3)))
    assert run.state is RunState.DEGRADED
    assert run.active_seconds < 5
    stage = Stage(counting(-100))
    run = stage.run(plan_of(deadline=timedelta(minutes=30)))
    assert (run.state, run.reason) == (RunState.FAILED, "budget exceeded: not finished within 0:30:00")


def test_the_wait_is_a_stored_time_that_a_restart_does_not_change() -> None:
    stage = Stage(counting(1))
    run_id = stage.begin(plan_of())
    stage.clock.advance(1)
    wake = stage.store.next_wake()
    assert wake is not None
    assert START + timedelta(minutes=5) <= wake < START + timedelta(minutes=5, seconds=2)
    assert stage.executor.carried == frozenset()
    stage.restart()
    run = stage.play(run_id)
    assert (run.state, run.steps["query"].crashes) == (RunState.SUCCEEDED, 0)


def test_a_probe_that_was_interrupted_is_made_again_at_once() -> None:
    plays = iter([hang(), succeed({"count": 5})])
    stage = Stage(lambda call: next(plays) if call.purpose is Purpose.PROBE else succeed())
    run_id = stage.begin(plan_of())
    stage.clock.advance(1)
    stage.restart()
    run = stage.play(run_id)
    assert (run.state, run.steps["query"].crashes) == (RunState.SUCCEEDED, 1)


def test_a_probe_that_always_takes_the_daemon_down_ends_the_step() -> None:
    stage = Stage(lambda call: hang() if call.purpose is Purpose.PROBE else succeed())
    steps = [Step("query", "look", fresh=GATE, on_exhausted=Exhausted.FAIL)]
    run_id = stage.begin(make_plan(steps))
    for number in range(3):
        stage.clock.advance(1)
        stage.restart(f"daemon-{number}")
        stage.executor.drive(run_id)
    run = stage.play(run_id)
    assert (run.state, run.steps["query"].cause) == (
        RunState.FAILED,
        "crashed: the daemon stopped 3 times while this step was running",
    )


@pytest.mark.parametrize("play", [fail(Kind.DENIED, "no access"), succeed(["no", "object"]), succeed({"other": 1})])
def test_a_probe_that_cannot_tell_is_waited_for_as_well(play: Play) -> None:
    stage = Stage(lambda call: play if call.purpose is Purpose.PROBE else succeed())
    run = stage.run(plan_of())
    assert run.state is RunState.DEGRADED
    assert run.steps["query"].stale


def test_without_a_condition_the_probes_success_is_enough() -> None:
    plays = iter([fail(Kind.BAD_DATA, "no marker"), succeed({"anything": 1})])
    stage = Stage(lambda call: next(plays) if call.purpose is Purpose.PROBE else succeed())
    assert stage.run(plan_of(Fresh("look"))).state is RunState.SUCCEEDED
    assert probes(stage) == 2


def test_a_decider_is_asked_about_the_step_only_once_its_source_is_complete() -> None:
    stage = Stage(counting(0))
    steps = [Step("query", "keep", fresh=GATE)]
    run = stage.run(make_plan(steps, decide=Decide.ALWAYS))
    kinds = [type(event).__name__ for event in stage.store.events(run.id)]
    assert run.state is RunState.SUCCEEDED
    assert kinds.count("RetryScheduled") == 3
    assert kinds.index("Decided") > max(n for n, kind in enumerate(kinds) if kind == "RetryScheduled")


def test_a_cancelled_run_waits_no_longer() -> None:
    from daemon.ports import MessageKind

    stage = Stage(counting(-100))
    run_id = stage.begin(plan_of())
    stage.clock.advance(60)
    stage.post(run_id, MessageKind.CANCEL, {})
    assert stage.play(run_id, 60).state is RunState.CANCELLED
