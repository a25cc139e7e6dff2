"""A step with a stand-in: the other runs only where the first has failed for good, and then gives its output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from daemon.domain.actions import Ask, Escalate, FailStep, Finish, SkipStep, StartAttempt
from daemon.domain.errors import Kind
from daemon.domain.events import Answered, Decided, Escalated, Event, StepFailed, StepSkipped
from daemon.domain.guard import by_rule
from daemon.domain.model import Decision, Failed, Letter, RunState, StepState, Succeeded
from daemon.domain.plan import Decide, Exhausted, Plan, Step
from daemon.domain.policy import next_action
from daemon.domain.questions import question
from daemon.domain.stand_in import provider
from daemon.testing.tools import make_plan
from tests.unit.domain.lives import at, begun, ended, failed, live
from tests.unit.domain.test_compiler import COUNT, PICTURE, build, refusals

DENIED = Failed(Kind.DENIED, "no")


def plan(decide: Decide = Decide.ON_EXCEPTION, **fields: object) -> Plan:
    return make_plan(
        [
            Step("s", **{"use": "look", "fallback": "other", **fields}),  # type: ignore[arg-type]  # each test's own
            Step("other", "look"),
            Step("after", "look", needs=("s",)),
        ],
        decide=decide,
    )


def worked(step: str, when: float = 10, output: str = "done") -> list[Event]:
    return [begun(1, when=when, step=step), ended(Succeeded({"by": step}, output), 1, when + 1, step)]


def gone(step: str = "s", when: float = 5) -> list[Event]:
    return [
        begun(1, when=when, step=step),
        ended(DENIED, 1, when, step),
        StepFailed(at(when), step, DENIED, "denied: no"),
    ]


def act(made: Plan, events: Sequence[Event]) -> object:
    return next_action(made, live(made, events), at(60))


def test_the_stand_in_waits_while_the_step_may_still_do() -> None:
    run = live(plan(), [begun()])

    assert (run.steps["s"].state, run.steps["other"].state) == (StepState.RUNNING, StepState.PENDING)


@pytest.mark.parametrize("on_exhausted", list(Exhausted))
def test_a_step_that_has_a_stand_in_fails_without_asking_anybody(on_exhausted: Exhausted) -> None:
    assert act(plan(on_exhausted=on_exhausted), failed(Kind.DENIED)) == FailStep(
        "s", Failed(Kind.DENIED, "m"), "denied: m"
    )


def test_the_stand_in_runs_once_the_step_has_failed() -> None:
    assert act(plan(), gone()) == StartAttempt("other", act(plan(), []).purpose)  # type: ignore[attr-defined]


def test_who_needs_the_step_goes_on_with_the_output_of_the_stand_in() -> None:
    made, events = plan(), [*gone(), *worked("other")]
    run = live(made, events)

    assert run.steps["after"].state is StepState.READY
    assert provider(made, run, "s").output == {"by": "other"}


def test_a_run_that_used_a_stand_in_ends_degraded_and_says_why() -> None:
    assert act(plan(), [*gone(), *worked("other"), *worked("after", 20)]) == Finish(RunState.DEGRADED, "s: denied: no")


def test_a_stand_in_that_nobody_needed_is_skipped_and_does_not_degrade_the_run() -> None:
    made, events = plan(), worked("s")

    assert act(made, events) == SkipStep("other", "stands in for s, which is done")
    skipped = StepSkipped(at(20), "other", "stands in for s, which is done")
    assert act(made, [*events, skipped, *worked("after", 20)]) == Finish(RunState.SUCCEEDED, "")


def test_where_both_have_failed_who_needs_them_is_skipped_and_the_run_has_failed() -> None:
    made = plan()
    events = [*gone(), *gone("other", 6)]
    cut_off = act(made, events)

    assert cut_off == SkipStep("after", "needs s, which failed: denied: no")
    ends = act(made, [*events, StepSkipped(at(7), "after", cut_off.cause)])
    assert isinstance(ends, Finish)
    assert ends.state is RunState.FAILED


def test_going_on_after_a_final_failure_is_the_rules_choice_and_means_the_stand_in() -> None:
    made = plan(Decide.ALWAYS)
    asked = act(made, [Decided(at(0), "s", by_rule(made.steps[0], _ask(made, []))), *failed(Kind.DENIED)])

    assert asked == Ask("s", (Letter.A, Letter.C), Letter.A, "denied: m")


def test_a_decider_that_gives_up_where_a_stand_in_is_at_hand_has_a_person_asked() -> None:
    made = plan(Decide.ALWAYS)
    events = [Decided(at(0), "s", by_rule(made.steps[0], _ask(made, []))), *failed(Kind.DENIED)]
    gives_up = Decided(at(2), "s", Decision(Letter.C, "look", "hopeless", "model", Letter.A))

    assert isinstance(act(made, [*events, gives_up]), Escalate)


def test_a_person_who_skips_the_step_skips_its_stand_in_too() -> None:
    made = plan()
    asked = question(made, live(made, failed(Kind.DENIED)), Escalate("s", "What now?", ("retry", "skip")), at(3))
    skipped = [*failed(Kind.DENIED), Escalated(at(3), asked), Answered(at(4), asked.id, "skip", "ada", {})]

    assert live(made, skipped).steps["s"].state is StepState.SKIPPED
    assert act(made, skipped) == SkipStep("other", "stands in for s, which was skipped")


def test_a_stand_in_may_have_a_stand_in_itself() -> None:
    made = make_plan([Step("s", "look", fallback="b"), Step("b", "look", fallback="c"), Step("c", "look")])
    run = live(made, [*gone(), *gone("b", 6), *worked("c")])

    assert provider(made, run, "s").output == {"by": "c"}
    assert next_action(made, run, at(60)) == Finish(RunState.DEGRADED, "s: denied: no; b: denied: no")


REPLICA = replace(COUNT, id="replica")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([replace(COUNT, fallback="replcia"), REPLICA], "there is no step 'replcia'"),
        ([replace(COUNT, fallback="count")], "step 'count' cannot stand in for itself"),
        (
            [replace(COUNT, fallback="replica"), replace(COUNT, id="more", fallback="replica"), REPLICA],
            "'replica' stands in for 'count' already",
        ),
        (
            [replace(COUNT, fallback="replica"), replace(REPLICA, needs=("count",))],
            "steps need each other in a circle",
        ),
        (
            [replace(COUNT, fallback="replica"), replace(REPLICA, fallback="count")],
            "steps need each other in a circle",
        ),
        (
            [replace(COUNT, fallback="replica"), REPLICA, replace(PICTURE, needs=("replica",))],
            "'picture' needs 'replica', which runs only when 'count' fails",
        ),
    ],
)
def test_a_stand_in_that_could_not_stand_in_is_refused(steps: list[Step], message: str) -> None:
    assert any(refusal.startswith(message) for refusal in refusals(*steps))


def test_the_output_of_a_stand_in_must_fit_wherever_that_of_the_step_does() -> None:
    other = Step("drawn", "chart", inputs={"rows": []})

    assert any(
        "${steps.drawn.output.rows} points at nothing" in text
        for text in refusals(replace(COUNT, fallback="drawn"), other, PICTURE)
    )
    assert build(replace(COUNT, fallback="replica"), REPLICA, PICTURE).originals == {"replica": "count"}


def _ask(made: Plan, events: Sequence[Event]) -> Ask:
    asked = act(made, events)
    assert isinstance(asked, Ask)
    return asked
