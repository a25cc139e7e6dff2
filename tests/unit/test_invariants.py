"""One test named after each invariant of the design that applies so far.

Each runs the histories that strain it most; the checks themselves are in `daemon.testing.witness` and `audit`.
Invariants 6, 11, 12 and 13 belong to the decider, the secrets, the configuration and the tools.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.domain.errors import Kind
from daemon.domain.model import Letter, RunState, StepState
from daemon.domain.plan import Decide, Exhausted, Step
from daemon.testing.faults import DEFAULT, Faults
from daemon.testing.plays import Script, fail, lose_answer
from daemon.testing.scripted_decider import ScriptedDecider, choose, refuse
from daemon.testing.simulator import simulate
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan

SEEDS = range(10_000, 10_030)
SEND = Step("post", "send", inputs={"to": "#a"}, on_exhausted=Exhausted.FAIL)


def holds(number: int, faults: Faults) -> None:
    for seed in SEEDS:
        history = simulate(seed, faults)
        broken = [what for what in history.violations if what.startswith(f"invariant {number}:")]
        assert not broken, history.verdict()


def test_invariant_1_every_due_instant_gets_exactly_one_disposition() -> None:
    holds(1, replace(DEFAULT, kill=1.0, crash=0.2, clock=1.0))


def test_invariant_1_every_success_is_followed_exactly_once() -> None:
    holds(1, replace(DEFAULT, follows=1.0, tool=0.1, kill=1.0, crash=0.2, clock=1.0, again=0.6))


def test_invariant_2_a_finished_step_never_runs_again() -> None:
    holds(2, replace(DEFAULT, kill=1.0, crash=0.2, freeze=0.05))


def test_invariant_3_an_external_effect_happens_at_most_once_and_is_never_dropped() -> None:
    holds(3, replace(DEFAULT, tool=0.7, kill=1.0, crash=0.1, receiver=1.0, again=1.0))


@pytest.mark.parametrize("answer", ["delivered", "skip", "abort"])
def test_invariant_3_where_nobody_can_tell_a_person_is_asked(answer: str) -> None:
    stage = Stage(Script({"post": lose_answer()}))
    stage.runner.receiver.deaf = True
    run_id = stage.begin(make_plan([SEND]))
    assert "not known whether" in next(iter(stage.play(run_id).escalations.values())).question
    stage.answer(run_id, answer)
    run = stage.play(run_id)
    assert run.state is (RunState.SUCCEEDED if answer == "delivered" else RunState.FAILED)
    assert len(stage.runner.receiver.parcels) == 1


def test_invariant_4_a_run_ends_in_bounded_steps_attempts_decisions_and_time() -> None:
    holds(4, replace(DEFAULT, tool=0.95, nonsense=0.9, cancel=0.0))


def test_invariant_4_a_tool_that_kills_the_daemon_is_given_up_after_three_crashes() -> None:
    stage = Stage()
    run_id = stage.begin(make_plan([Step("a", "look", on_exhausted=Exhausted.FAIL)]))
    for number in range(3):
        stage.restart(f"daemon {number}")
        stage.executor.drive(run_id)
    run = stage.store.load(run_id)
    assert (run.state, run.steps["a"].crashes) == (RunState.FAILED, 3)


def test_invariant_5_a_decider_only_chooses_what_the_plan_allows() -> None:
    holds(5, replace(DEFAULT, nonsense=1.0))


def test_invariant_7_a_run_without_a_decider_still_finishes_by_rule() -> None:
    plan = make_plan([Step("a", "look"), SEND], decide=Decide.ALWAYS)
    stage = Stage(Script({("a", 1): fail(Kind.BAD_DATA)}), decider=ScriptedDecider([refuse] * 9, takes_time=True))
    run_id = stage.begin(plan)
    assert stage.play(run_id).escalations
    stage.answer(run_id, "retry")
    assert stage.play(run_id).state is RunState.SUCCEEDED


def test_invariant_8_a_late_result_is_never_taken() -> None:
    holds(8, replace(DEFAULT, tool=0.6, freeze=0.1))


def test_invariant_9_a_process_that_lost_its_lease_cannot_commit_fire_or_claim() -> None:
    holds(9, replace(DEFAULT, freeze=0.15))


def test_invariant_10_a_run_never_ends_green_when_it_was_not() -> None:
    holds(10, replace(DEFAULT, tool=0.7, people=0.8))


def test_invariant_10_an_approval_that_nobody_gives_never_means_yes() -> None:
    stage = Stage()
    run_id = stage.begin(make_plan([Step("a", "look", approve=True)]))
    stage.play(run_id)
    stage.clock.advance(5 * 3600)
    stage.executor.drive(run_id)
    run = stage.store.load(run_id)
    assert (run.state, run.steps["a"].state) == (RunState.FAILED, StepState.RUNNING)
    assert stage.runner.calls == []


def test_invariant_10_a_decider_cannot_end_a_report_that_the_rule_would_retry() -> None:
    decider = ScriptedDecider([choose(Letter.A), choose(Letter.C)])
    stage = Stage(Script({"post": fail(Kind.TRANSIENT)}), decider=decider)
    assert stage.play(stage.begin(make_plan([SEND], decide=Decide.ALWAYS))).escalations
