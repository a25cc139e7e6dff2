"""Folding events: what each changes, and that no sequence of them makes an illegal move."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.domain.defaults import SETTLE
from daemon.domain.errors import Kind
from daemon.domain.events import (
    Answered,
    Decided,
    EffectAdopted,
    Escalated,
    Event,
    RetryScheduled,
    RunEnded,
    RunEnding,
    StepFailed,
    StepSkipped,
)
from daemon.domain.fold import fold
from daemon.domain.model import (
    RUN_MOVES,
    STEP_MOVES,
    Decision,
    Escalation,
    Failed,
    Letter,
    Purpose,
    Reconciled,
    Run,
    RunState,
    StepState,
    Verdict,
)
from daemon.domain.plan import Plan, Step
from daemon.runtime.rules import Rules
from daemon.testing.faults import DEFAULT
from daemon.testing.incarnation import Seams
from daemon.testing.simulator import simulate
from daemon.testing.tools import make_plan
from tests.unit.domain.lives import OK, T0, at, begun, claimed, ended, failed, live, one_step

CHAIN = make_plan([Step("s", "look"), Step("t", "look", needs=("s",))])
SENDS = one_step(use="send")


def test_a_run_that_starts_has_a_row_for_every_step_and_readies_the_first() -> None:
    run = live(CHAIN)
    assert {name: step.state for name, step in run.steps.items()} == {"s": StepState.READY, "t": StepState.PENDING}


def test_a_step_that_is_done_keeps_its_output_and_readies_the_next() -> None:
    run = live(CHAIN, [begun(), ended()])
    assert (run.steps["s"].state, run.steps["s"].output) == (StepState.DONE, {"ok": True})
    assert run.steps["t"].state is StepState.READY


def test_a_late_outcome_changes_nothing_but_the_count_of_events() -> None:
    run = live(CHAIN, [begun(1), claimed(), begun(2)])
    late = fold(CHAIN, run, ended(OK, number=1))
    assert late == replace(run, sequence=run.sequence + 1)


def test_an_outcome_counts_once() -> None:
    once = live(CHAIN, [begun(), ended(Failed(Kind.TRANSIENT, "m"))])
    assert fold(CHAIN, once, ended(Failed(Kind.TRANSIENT, "m"))).steps == once.steps


def test_a_failure_is_a_try_and_an_interruption_is_a_crash() -> None:
    step = live(CHAIN, failed(Kind.TRANSIENT)).steps["s"]
    assert (step.tries, step.crashes) == (1, 0)
    step = live(CHAIN, [begun(), claimed()]).steps["s"]
    assert (step.tries, step.crashes, step.attempt) == (0, 1, None)


@pytest.mark.parametrize("kind", list(Kind))
def test_what_may_have_happened_is_in_doubt(kind: Kind) -> None:
    doubted = live(SENDS, failed(kind)).steps["s"].unknown is not None
    clean = {Kind.TRANSIENT, Kind.BAD_DATA, Kind.DENIED, Kind.MISCONFIGURED, Kind.INVALID_INPUT}
    assert doubted == (kind not in clean | {Kind.BUDGET_EXCEEDED, Kind.NO_PROGRESS})
    assert live(CHAIN, failed(kind)).steps["s"].unknown is None


@pytest.mark.parametrize("verdict", [Verdict.NOT_FOUND, Verdict.PARTIAL, Verdict.CANNOT_TELL])
def test_only_found_counts_before_the_settling_time(verdict: Verdict) -> None:
    asked = [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE, 20)]
    early = live(SENDS, [*asked, ended(Reconciled(verdict), 2, 30)]).steps["s"]
    assert early.unknown is not None
    assert early.wake_at == at(60) + SETTLE


def test_parts_that_are_there_are_kept_for_the_next_try() -> None:
    partial = Reconciled(Verdict.PARTIAL, parts=("picture",))
    step = live(SENDS, [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE, 80), ended(partial, 2, 90)]).steps["s"]
    assert (step.parts, step.unknown) == (("picture",), None)


def test_a_step_of_the_wall_clock_is_no_work() -> None:
    assert live(CHAIN, [begun(), ended(when=36_000)]).active_seconds == 60.0
    assert live(CHAIN, [begun(when=100), ended(when=1)]).active_seconds == 0.0


def test_an_adopted_effect_is_a_finished_step() -> None:
    step = live(SENDS, [EffectAdopted(T0, "s", "key", {"ts": 1}, "sent before")]).steps["s"]
    assert (step.state, step.output, step.summary) == (StepState.DONE, {"ts": 1}, "sent before")


def test_a_wait_is_stored_and_makes_the_run_wait() -> None:
    run = live(CHAIN, [*failed(Kind.TRANSIENT), RetryScheduled(at(1), "s", at(5))])
    assert (run.state, run.steps["s"].wake_at) == (RunState.WAITING, at(5))


def test_open_inputs_that_a_decider_sets_are_kept() -> None:
    decision = Decision(Letter.B, "look", "why", "model", Letter.B, {"note": "x"}, seconds=2.0)
    run = live(CHAIN, [*failed(Kind.BAD_DATA), Decided(at(2), "s", decision)])
    assert run.steps["s"].changes == {"note": "x"}
    assert run.active_seconds == 3.0


def asking(step: str | None = "s") -> Escalated:
    options = ("retry", "skip", "abort", "delivered", "approve", "reject")
    return Escalated(at(2), Escalation("q", step, "what now?", options, "abort", at(2), at(3), at(4), "d"))


@pytest.mark.parametrize(
    ("option", "state", "grace"),
    [
        ("retry", StepState.RUNNING, 1),
        ("skip", StepState.SKIPPED, 0),
        ("reject", StepState.SKIPPED, 0),
        ("delivered", StepState.DONE, 0),
        ("approve", StepState.RUNNING, 0),
    ],
)
def test_what_an_answer_does_to_its_step(option: str, state: StepState, grace: int) -> None:
    run = live(CHAIN, [*failed(Kind.DENIED), asking(), Answered(at(3), "q", option, "ada")])
    step = run.steps["s"]
    assert (step.state, step.grace, step.escalation) == (state, grace, None)
    assert not run.escalations


def test_an_abort_ends_the_run_and_closes_every_question() -> None:
    run = live(CHAIN, [*failed(Kind.DENIED), asking(), Answered(at(3), "q", "abort", "ada")])
    assert run.ending is not None
    assert run.ending.state is RunState.FAILED
    assert (run.escalations, run.steps["s"].escalation) == ({}, None)


def test_the_second_answer_changes_nothing() -> None:
    run = live(CHAIN, [*failed(Kind.DENIED), asking(), Answered(at(3), "q", "skip", "ada")])
    again = fold(CHAIN, run, Answered(at(3), "q", "retry", "bob"))
    assert again == replace(run, sequence=run.sequence + 1)


def test_a_run_that_is_ending_waits_for_nobody_and_no_back_off() -> None:
    events: list[Event] = [*failed(Kind.TRANSIENT), RetryScheduled(at(1), "s", at(50))]
    run = live(CHAIN, [*events, RunEnding(at(2), RunState.CANCELLED, "cancelled by ada")])
    assert run.steps["s"].wake_at is None


def test_a_step_can_fail_or_be_skipped_for_good() -> None:
    gone = live(CHAIN, [*failed(Kind.DENIED), StepFailed(at(2), "s", Failed(Kind.DENIED, "m"), "why")])
    assert (gone.steps["s"].state, gone.steps["s"].cause) == (StepState.FAILED, "why")
    skipped = fold(CHAIN, gone, StepSkipped(at(2), "t", "needs s"))
    assert skipped.steps["t"].state is StepState.SKIPPED


def test_an_ended_run_says_when_and_why() -> None:
    run = live(CHAIN, [RunEnded(at(9), RunState.FAILED, "why")])
    assert (run.state, run.ended_at, run.reason) == (RunState.FAILED, at(9), "why")


def illegal(before: Run, after: Run, event: Event) -> list[str]:
    """Every move that is not in the tables. An adopted effect runs and is done in one go."""
    found = []
    if after.state is not before.state and after.state not in RUN_MOVES[before.state]:
        found.append(f"run: {before.state} to {after.state}")
    for name, was in before.steps.items():
        now = after.steps[name].state
        legal = STEP_MOVES[was.state] | ({StepState.DONE} if isinstance(event, EffectAdopted) else frozenset())
        if now is not was.state and now not in legal:
            found.append(f"{name}: {was.state} to {now} on {type(event).__name__}")
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_no_history_makes_an_illegal_move(seed: int) -> None:
    moves: list[str] = []

    def watched(plan: Plan, run: Run, event: Event) -> Run:
        after = fold(plan, run, event)
        moves.extend(illegal(run, after, event))
        return after

    simulate(seed, DEFAULT, Seams(rules=Rules(fold=watched)))
    assert moves == []


def test_every_event_is_counted() -> None:
    run = live(CHAIN, [begun(), ended(), begun(step="t")])
    two: list[Event] = [begun(), ended()]
    sequences = [live(CHAIN, two[:n]).sequence for n in range(3)]
    assert run.sequence == 4
    assert all(later == earlier + 1 for earlier, later in pairwise(sequences))


def test_an_answer_that_nobody_asked_for_is_a_wrong_output() -> None:
    step = live(CHAIN, [begun(), ended(Reconciled(Verdict.NOT_FOUND))]).steps["s"]
    assert step.failure is not None
    assert step.failure.kind is Kind.INVALID_OUTPUT
