"""From a state to the one next action, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.domain.actions import (
    Action,
    Ask,
    BackOff,
    Begin,
    Escalate,
    Expire,
    FailStep,
    Finish,
    SkipStep,
    StartAttempt,
    Wait,
    WindDown,
)
from daemon.domain.defaults import Limits, Retry
from daemon.domain.doubt import LONGEST_ABSENCE
from daemon.domain.errors import Kind
from daemon.domain.events import Answered, Decided, Escalated, Event, RunEnding
from daemon.domain.fold import fold
from daemon.domain.guard import by_rule
from daemon.domain.model import Failed, Json, Letter, Purpose, Reconciled, Run, RunState, StepState, Verdict
from daemon.domain.plan import Decide, Exhausted, Plan, Repair, Step
from daemon.domain.policy import next_action
from daemon.domain.questions import question
from daemon.testing.tools import make_plan, make_run
from tests.unit.domain.lives import T0, at, begun, claimed, ended, failed, live, one_step


def said(action: Action) -> str:
    """An action in a word or two."""
    match action:
        case StartAttempt(purpose=purpose):
            return purpose.value
        case Ask(allowed=allowed, rule=rule):
            return f"ask {''.join(allowed)}, rule {rule}"
        case _:
            return type(action).__name__


def act(plan: Plan, events: Sequence[Event], when: float = 1) -> Action:
    return next_action(plan, live(plan, events), at(when))


RETRIED, STOPPED = "BackOff", "Escalate"
ON_EXCEPTION = {
    Kind.TRANSIENT: RETRIED,
    Kind.TIMEOUT: RETRIED,
    Kind.CRASHED: RETRIED,
    Kind.INTERRUPTED: "run",
    Kind.BAD_DATA: "ask BC, rule C",
    Kind.DENIED: STOPPED,
    Kind.MISCONFIGURED: STOPPED,
    Kind.INVALID_INPUT: "ask BC, rule C",
    Kind.INVALID_OUTPUT: RETRIED,
    Kind.UNKNOWN_OUTCOME: RETRIED,
    Kind.BUDGET_EXCEEDED: STOPPED,
    Kind.NO_PROGRESS: STOPPED,
}
ALWAYS = {
    kind: {RETRIED: "ask BC, rule B", STOPPED: "ask C, rule C"}.get(action, action)
    for kind, action in ON_EXCEPTION.items()
}
EXTERNAL = {Kind.TIMEOUT, Kind.CRASHED, Kind.INTERRUPTED, Kind.INVALID_OUTPUT, Kind.UNKNOWN_OUTCOME}


@pytest.mark.parametrize("tool", ["look", "keep", "send"])
@pytest.mark.parametrize("decide", list(Decide))
@pytest.mark.parametrize("kind", list(Kind))
def test_the_first_failure_of_each_kind(kind: Kind, decide: Decide, tool: str) -> None:
    expected = (ALWAYS if decide is Decide.ALWAYS else ON_EXCEPTION)[kind]
    if tool == "send" and kind in EXTERNAL:
        expected = "reconcile"
    plan = make_plan([Step("s", tool)], decide=decide)
    assert said(act(plan, failed(kind))) == expected


LAST = {kind: "ask C, rule C" if action.startswith("ask") else "Escalate" for kind, action in ON_EXCEPTION.items()}
LAST[Kind.INTERRUPTED] = "run"


@pytest.mark.parametrize(("kind", "expected"), LAST.items())
def test_the_last_failure_of_each_kind(kind: Kind, expected: str) -> None:
    """The limit of three is used up; being interrupted is nobody's try."""
    plan = one_step()
    run = live(plan, failed(kind))
    run = replace(run, steps={"s": replace(run.steps["s"], tries=3)})
    assert said(next_action(plan, run, at(1))) == expected


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_a_step_is_tried_as_often_as_it_says(attempts: int) -> None:
    plan = one_step(retry=Retry(attempts), on_exhausted=Exhausted.FAIL)
    events: list[Event] = []
    for number in range(1, attempts + 1):
        events += failed(Kind.TRANSIENT, number)
        assert said(act(plan, events)) == (RETRIED if number < attempts else "FailStep")


def test_a_wrong_output_is_retried_once() -> None:
    plan = one_step()
    twice = [*failed(Kind.INVALID_OUTPUT, 1, message="a"), *failed(Kind.INVALID_OUTPUT, 2, message="b")]
    assert said(act(plan, twice)) == STOPPED


@pytest.mark.parametrize(
    ("exhausted", "optional", "expected"),
    [
        (Exhausted.ESCALATE, False, Escalate),
        (Exhausted.ESCALATE, True, FailStep),
        (Exhausted.FAIL, False, FailStep),
        (Exhausted.SKIP, False, SkipStep),
    ],
)
def test_what_happens_when_no_tries_are_left(exhausted: Exhausted, optional: bool, expected: type) -> None:
    plan = one_step(on_exhausted=exhausted, optional=optional)
    assert isinstance(act(plan, failed(Kind.DENIED)), expected)


def test_the_same_error_for_the_same_input_stops_the_step() -> None:
    plan = one_step()
    decision = by_rule(plan.steps[0], Ask("s", (Letter.B,), Letter.B, "try"))
    events = [*failed(Kind.BAD_DATA), Decided(at(2), "s", decision), *failed(Kind.BAD_DATA, 2)]
    assert said(act(plan, events)) == STOPPED
    assert live(plan, events).steps["s"].failure.kind is Kind.NO_PROGRESS  # type: ignore[union-attr]  # it failed


def test_a_repair_runs_once_and_then_the_decider_is_asked() -> None:
    plan = one_step(repair=Repair("mend"))
    broken = failed(Kind.BAD_DATA)
    assert said(act(plan, broken)) == "repair"
    mending: list[Event] = [*broken, begun(2, Purpose.REPAIR)]
    assert said(act(plan, [*mending, ended(number=2)])) == "run"
    again = [*mending, ended(number=2), *failed(Kind.BAD_DATA, 3, message="other")]
    assert said(act(plan, again)) == "ask BC, rule C"


def test_a_repair_that_was_interrupted_is_made_again() -> None:
    plan = one_step(repair=Repair("mend"))
    assert said(act(plan, [*failed(Kind.BAD_DATA), begun(2, Purpose.REPAIR), claimed()])) == "repair"


@pytest.mark.parametrize(
    ("verdict", "when", "expected"),
    [
        (Verdict.FOUND, 5, "Finish"),
        (Verdict.NOT_FOUND, 5, "Wait"),
        (Verdict.NOT_FOUND, 75, "BackOff"),
        (Verdict.PARTIAL, 5, "Wait"),
        (Verdict.PARTIAL, 75, "BackOff"),
        (Verdict.CANNOT_TELL, 5, "Wait"),
        (Verdict.CANNOT_TELL, 75, "BackOff"),
    ],
)
def test_what_the_receiver_says(verdict: Verdict, when: float, expected: str) -> None:
    """The attempt's deadline is at 60 s and the settling time 10 s; before that only `found` counts."""
    plan = one_step(use="send")
    asked = [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE, when), ended(Reconciled(verdict), 2, when)]
    assert said(act(plan, asked, when)) == expected


@pytest.mark.parametrize("verdict", [Verdict.NOT_FOUND, Verdict.PARTIAL, Verdict.CANNOT_TELL])
def test_an_answer_that_lay_unread_is_as_old_as_its_question(verdict: Verdict) -> None:
    """The receiver looked at 15 s; a daemon that was frozen meanwhile reads at 90 s what it said."""
    asked = [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE, 15), ended(Reconciled(verdict), 2, 90)]
    assert said(act(one_step(use="send"), asked, 90)) == "reconcile"


def asked_in_vain(number: int) -> list[Event]:
    when = 100.0 + number
    return [begun(number, Purpose.RECONCILE, when), ended(Reconciled(Verdict.CANNOT_TELL), number, when)]


def test_after_three_answers_that_say_nothing_a_person_is_asked() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.CRASHED), *asked_in_vain(2), *asked_in_vain(3)]
    assert said(act(plan, events, 200)) == "BackOff"
    action = act(plan, [*events, *asked_in_vain(4)], 200)
    assert isinstance(action, Escalate)
    assert action.options == ("delivered", "retry", "skip", "abort")


def not_reached(number: int, when: float) -> list[Event]:
    return [begun(number, Purpose.RECONCILE, when), ended(Failed(Kind.TRANSIENT, "nobody is there"), number, when + 1)]


def test_a_receiver_that_is_away_is_waited_for_and_nobody_is_asked() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.UNKNOWN_OUTCOME), *(e for n in range(2, 40) for e in not_reached(n, 100.0 * n))]
    action = act(plan, events, 4000)
    assert isinstance(action, BackOff)
    assert action.until == at(4000) + LONGEST_ABSENCE


def test_a_receiver_that_comes_back_and_cannot_tell_has_all_its_asks() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.UNKNOWN_OUTCOME), *not_reached(2, 100), *not_reached(3, 200), *asked_in_vain(204)]
    assert said(act(plan, events, 310)) == "BackOff"


def test_a_run_that_is_over_does_not_wait_for_a_receiver_that_is_away() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.UNKNOWN_OUTCOME), RunEnding(at(90), RunState.CANCELLED, "enough")]
    for number in range(2, 5):
        events += not_reached(number, 100.0 * number)
    action = act(plan, events, 500)
    assert isinstance(action, Finish)
    assert action.reason == "enough; it is not known whether s was delivered"


@pytest.mark.parametrize(
    ("when", "kind", "expected"),
    [
        (3000, Kind.TRANSIENT, "BackOff"),
        (3000, Kind.UNKNOWN_OUTCOME, "BackOff"),
        (3000, Kind.DENIED, "FailStep"),
        (7300, Kind.TRANSIENT, "FailStep"),
    ],
)
def test_an_outage_is_waited_for_as_long_as_the_step_says(when: float, kind: Kind, expected: str) -> None:
    plan = one_step(retry=Retry(within=timedelta(hours=2)), on_exhausted=Exhausted.FAIL)
    events = [event for number in range(1, 10) for event in failed(Kind.TRANSIENT, number, when)]
    assert (
        said(act(plan, [begun(1, when=1), ended(Failed(Kind.TRANSIENT, "m")), *events, *failed(kind, 10, when)], when))
        == expected
    )


def test_a_person_who_says_retry_gets_the_receiver_asked_afresh() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.CRASHED), *asked_in_vain(2), *asked_in_vain(3), *asked_in_vain(4)]
    run = escalated(plan, live(plan, events), 200)
    run = fold(plan, run, Answered(at(201), next(iter(run.escalations)), "retry", "ada"))
    for event in failed(Kind.TIMEOUT, 5, 202):
        run = fold(plan, run, event)
    assert said(next_action(plan, run, at(202))) == "reconcile"


def test_a_doubt_is_not_forgotten_when_the_failure_repeats() -> None:
    plan = one_step(use="send")
    settled: list[Event] = [begun(2, Purpose.RECONCILE), ended(Reconciled(Verdict.NOT_FOUND), 2, 100)]
    events = [*failed(Kind.INVALID_OUTPUT), *settled, *failed(Kind.INVALID_OUTPUT, 3, 200)]
    assert said(act(plan, events, 200)) == "reconcile"


@pytest.mark.parametrize("purpose", [Purpose.RUN, Purpose.REPAIR])
@pytest.mark.parametrize("crashes", [1, 2, 3])
def test_the_crash_limit_ends_a_step(purpose: Purpose, crashes: int) -> None:
    plan = one_step(repair=Repair("mend"), on_exhausted=Exhausted.FAIL)
    events: list[Event] = failed(Kind.BAD_DATA) if purpose is Purpose.REPAIR else []
    for number in range(crashes):
        events += [begun(number + 2, purpose), claimed(number + 2)]
    expected = "FailStep" if crashes == 3 else purpose.value
    assert said(act(plan, events)) == expected


def test_a_reconcile_that_takes_the_daemon_down_comes_to_a_person() -> None:
    plan = one_step(use="send")
    events = failed(Kind.TIMEOUT)
    for number in range(2, 5):
        events += [begun(number, Purpose.RECONCILE, 100), claimed(number, 100 + number)]
    assert said(act(plan, events, 200)) == "Escalate"


def test_a_decider_that_gives_up_against_the_rule_is_disputed() -> None:
    plan = make_plan([Step("s", "look", on_exhausted=Exhausted.FAIL)], decide=Decide.ALWAYS)
    ask = Ask("s", (Letter.B, Letter.C), Letter.B, "transient")
    gave_up = replace(by_rule(plan.steps[0], ask), letter=Letter.C, by="model")
    events: list[Event] = [*failed(Kind.TRANSIENT), Decided(at(1), "s", gave_up)]
    assert said(act(plan, events)) == "Escalate"


def test_a_decider_that_agrees_to_give_up_ends_the_step() -> None:
    plan = one_step(on_exhausted=Exhausted.FAIL)
    ask = Ask("s", (Letter.B, Letter.C), Letter.C, "bad data")
    decided = Decided(at(1), "s", by_rule(plan.steps[0], ask))
    assert said(act(plan, [*failed(Kind.BAD_DATA), decided])) == "FailStep"


def escalated(plan: Plan, run: Run, when: float) -> Run:
    action = next_action(plan, run, at(when))
    assert isinstance(action, Escalate)
    return fold(plan, run, Escalated(at(when), question(plan, run, action, at(when))))


ANSWERS = {"approve": "run", "reject": "Finish", "abort": "Finish"}


@pytest.mark.parametrize(("option", "expected"), ANSWERS.items())
def test_what_an_answer_to_an_approval_does(option: str, expected: str) -> None:
    plan = one_step(approve=True)
    run = escalated(plan, live(plan), 0)
    run = fold(plan, run, Answered(at(1), next(iter(run.escalations)), option, "ada"))
    assert said(next_action(plan, run, at(1))) == expected


def test_a_question_waits_and_then_expires_into_its_default() -> None:
    plan = one_step(approve=True)
    run = escalated(plan, live(plan), 0)
    expiry = next(iter(run.escalations.values())).expires_at
    assert next_action(plan, run, at(1)) == Wait(expiry)
    assert isinstance(next_action(plan, run, expiry), Expire)


def test_a_question_expires_before_the_run_does() -> None:
    plan = make_plan([Step("s", "look", approve=True)], limits=Limits(deadline=timedelta(hours=1)))
    run = escalated(plan, live(plan), 0)
    assert next(iter(run.escalations.values())).expires_at == T0 + timedelta(hours=1)


@pytest.mark.parametrize(
    ("active", "when", "expected"), [(0, 1, "run"), (1801, 1, "WindDown"), (0, 86_400, "WindDown")]
)
def test_a_run_that_used_up_its_time_winds_down(active: float, when: float, expected: str) -> None:
    plan = one_step()
    run = replace(live(plan), active_seconds=float(active))
    assert said(next_action(plan, run, at(when))) == expected


def test_a_retry_that_would_come_after_the_deadline_is_none() -> None:
    plan = make_plan([Step("s", "look", on_exhausted=Exhausted.FAIL)], limits=Limits(deadline=timedelta(seconds=2)))
    assert said(act(plan, failed(Kind.TRANSIENT))) == "FailStep"


def test_a_queued_run_begins_and_an_ended_one_rests() -> None:
    plan = one_step()
    queued = make_run(plan, T0)
    assert next_action(plan, queued, T0) == Begin()
    assert next_action(plan, replace(queued, state=RunState.FAILED), T0) == Wait()


def test_independent_steps_start_until_the_limit_of_parallel_ones() -> None:
    plan = make_plan([Step(f"s{n}", "look") for n in range(3)], limits=Limits(parallel=2))
    run = live(plan, [begun(step="s0")])
    assert next_action(plan, run, T0) == StartAttempt("s1", Purpose.RUN)
    assert said(next_action(plan, live(plan, [begun(step="s0"), begun(step="s1")]), T0)) == "Wait"


def test_a_back_off_that_is_over_and_finds_no_room_waits_for_no_past() -> None:
    plan = make_plan([Step("s", "look"), Step("t", "look")], limits=Limits(parallel=1))
    run = live(plan, [*failed(Kind.TRANSIENT), begun(step="t")])
    run = replace(run, steps={**run.steps, "s": replace(run.steps["s"], wake_at=at(3))})
    action = next_action(plan, run, at(10))
    assert isinstance(action, Wait)
    assert action.until is not None
    assert action.until > at(10)


WEAK = [Step("a", "look"), Step("b", "look", needs=("a",)), Step("c", "look", needs_weak=("b",))]


@pytest.mark.parametrize(
    ("steps", "ends", "expected"),
    [
        (WEAK, {"a": "done", "b": "done", "c": "done"}, RunState.SUCCEEDED),
        (WEAK, {"a": "failed", "b": "skipped", "c": "done"}, RunState.DEGRADED),
        (WEAK, {"a": "done", "b": "done", "c": "failed"}, RunState.FAILED),
        (WEAK, {"a": "failed", "b": "skipped", "c": "skipped"}, RunState.FAILED),
        ([Step("a", "look", optional=True)], {"a": "failed"}, RunState.DEGRADED),
        ([Step("a", "look")], {"a": "skipped"}, RunState.FAILED),
    ],
)
def test_how_a_run_ends(steps: list[Step], ends: dict[str, str], expected: RunState) -> None:
    plan = make_plan(steps)
    run = live(plan)
    states = {name: replace(run.steps[name], state=StepState(state), cause="x") for name, state in ends.items()}
    action = next_action(plan, replace(run, steps=states), T0)
    assert isinstance(action, Finish)
    assert action.state is expected
    assert bool(action.reason) == (expected is not RunState.SUCCEEDED)


@pytest.mark.parametrize(
    ("output", "expected", "reason"),
    [
        ({"state": "degraded", "reason": "no chart"}, RunState.DEGRADED, "a: no chart"),
        ({"state": "degraded"}, RunState.DEGRADED, "a: delivered without a part"),
        ({"state": "delivered", "reason": ""}, RunState.SUCCEEDED, ""),
        (["degraded"], RunState.SUCCEEDED, ""),
    ],
)
def test_a_delivery_that_arrived_in_part_degrades_its_run(output: Json, expected: RunState, reason: str) -> None:
    plan = make_plan([Step("a", "look")])
    run = live(plan)
    done = replace(run.steps["a"], state=StepState.DONE, output=output)
    assert next_action(plan, replace(run, steps={"a": done}), T0) == Finish(expected, reason)


def ending(plan: Plan, events: Sequence[Event], when: float) -> Action:
    return act(plan, [*events, RunEnding(at(when), RunState.CANCELLED, "cancelled by ada")], when)


def test_a_run_that_is_ending_starts_nothing() -> None:
    plan = make_plan([Step("s", "look"), Step("t", "look")])
    assert ending(plan, [begun()], 1) == Wait()
    assert said(ending(plan, [begun(), ended()], 1)) == "Finish"


def test_a_run_that_is_ending_still_asks_about_an_unknown_effect() -> None:
    plan = one_step(use="send")
    assert said(ending(plan, failed(Kind.TIMEOUT), 2)) == "reconcile"


def test_a_run_says_at_its_end_what_nobody_knows() -> None:
    plan = one_step(use="send")
    events = [*failed(Kind.CRASHED), *asked_in_vain(2), *asked_in_vain(3), *asked_in_vain(4)]
    action = ending(plan, events, 200)
    assert isinstance(action, Finish)
    assert "not known whether s was delivered" in action.reason


def test_a_limit_ends_a_run_as_failed() -> None:
    plan = one_step()
    action = next_action(plan, live(plan), at(90_000))
    assert action == WindDown(RunState.FAILED, "budget exceeded: not finished within 1 day, 0:00:00")


def test_back_off_ends_before_it_begins_never() -> None:
    action = act(one_step(), failed(Kind.TRANSIENT))
    assert isinstance(action, BackOff)
    assert at(1) < action.until <= at(3)
