"""A user's own job in simulated histories."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from daemon.domain.actions import Ask
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, AttemptStarted, Decided
from daemon.domain.model import Attempt, Decision, Failed, Letter, Purpose, Run, Succeeded
from daemon.domain.plan import Decide, Exhausted, Plan, Step
from daemon.testing.faults import NONE
from daemon.testing.habits import FAILING, Habit, habits, unsettled
from daemon.testing.rehearsal import USUAL, Troupe, predict, rehearse, skeleton
from daemon.testing.tokens import Remembered, tokens_a_decision
from daemon.testing.tools import make_plan
from tests.builders import T0, after

PLAN = skeleton(
    make_plan(
        [
            Step("query", "look", inputs={"from": "nowhere"}),
            Step("chart", "look", needs=("query",), on_exhausted=Exhausted.FAIL, optional=True),
            Step("post", "send", needs=("query",), needs_weak=("chart",), inputs={"to": "#sales"}),
        ]
    )
)
SURE = {step.id: Habit(seconds=(1.0,), failing=0.0) for step in PLAN.steps}


def history(*attempts: tuple[float, Failed | Succeeded]) -> list[AttemptStarted | AttemptEnded]:
    events: list[AttemptStarted | AttemptEnded] = []
    for number, (seconds, outcome) in enumerate(attempts, 1):
        events.append(AttemptStarted(T0, "query", Attempt(number, Purpose.RUN, T0, after(60), "")))
        events.append(AttemptEnded(after(seconds), "query", number, outcome))
    return events


def test_without_faults_every_run_succeeds_in_the_time_of_its_longest_path() -> None:
    found = predict([rehearse(PLAN, Troupe(SURE), seed, NONE) for seed in range(20)])
    assert found.shares["succeeded"] == 1.0
    assert (found.p50, found.duplicates, found.violations) == (3.0, 0, ())


def test_faults_around_sure_tools_neither_lose_nor_double_anything() -> None:
    around = replace(USUAL, kill=0.8, crash=0.02, receiver=0.5, freeze=0.05)
    found = predict([rehearse(PLAN, Troupe(SURE), seed, around) for seed in range(150)])
    assert (found.duplicates, found.violations) == (0, ())


def test_tools_that_often_fail_show_in_the_shares_and_the_worst_seeds_show_why() -> None:
    often = unsettled(SURE, 0.6)
    takes = [rehearse(PLAN, Troupe(often), seed) for seed in range(150)]
    found = predict(takes)
    assert found.violations == ()
    assert 0.2 < found.shares["escalated"] < 1.0
    assert found.shares["degraded"] > 0
    assert sum(found.shares.values()) == 1.0
    assert rehearse(PLAN, Troupe(often), found.worst[0]).outcome in {"escalated", "failed"}


def test_the_same_seed_gives_the_same_take() -> None:
    assert rehearse(PLAN, Troupe(unsettled(SURE, 0.5)), 7) == rehearse(PLAN, Troupe(unsettled(SURE, 0.5)), 7)


def test_habits_are_learnt_from_what_the_attempts_did() -> None:
    bad = Failed(Kind.DENIED, "no")
    found = habits(PLAN, [history((2.0, Succeeded({}, "")), (4.0, bad))] * 15)["query"]
    assert (set(found.seconds), set(found.kinds), found.failing, found.known) == ({2.0}, {Kind.DENIED}, 0.5, 30)


def test_too_little_history_is_not_believed_and_an_interruption_says_nothing_about_a_tool() -> None:
    found = habits(PLAN, [history((1.0, Failed(Kind.INTERRUPTED, "killed")), (2.0, Succeeded({}, "")))])
    assert (found["query"].failing, found["query"].known) == (FAILING, 1)
    assert found["chart"] == Habit()


def test_a_skeleton_keeps_the_flow_and_drops_what_real_data_would_be_needed_for() -> None:
    original: Plan = make_plan([Step("a", "look", inputs={"x": 1}, timeout=timedelta(seconds=5))])
    bare = skeleton(original)
    assert (bare.steps[0].inputs, bare.steps[0].timeout, bare.limits) == ({}, timedelta(seconds=5), original.limits)
    assert bare.digest != original.digest


def test_tokens_are_predicted_from_what_a_decision_took_in_earlier_runs() -> None:
    asked = Decided(T0, "query", Decision(Letter.A, "look", "", "model", Letter.A, tokens_in=90, tokens_out=10))
    ruled = Decided(T0, "query", Decision(Letter.A, "look", "", "rule", Letter.A))
    assert tokens_a_decision([[asked, ruled], [asked]]) == 100
    assert tokens_a_decision([[ruled]]) == 0

    always = replace(PLAN, decide=Decide.ALWAYS)
    assert predict([rehearse(always, Troupe(SURE, tokens=100), seed, NONE) for seed in range(5)]).tokens == 300
    assert predict([rehearse(PLAN, Troupe(SURE, tokens=100), seed, NONE) for seed in range(5)]).tokens == 0


def test_a_model_is_asked_each_question_once_and_every_time_counts() -> None:
    model = Model()
    always, troupe = replace(PLAN, decide=Decide.ALWAYS), Troupe(SURE, Remembered(model))
    found = predict([rehearse(always, troupe, seed, NONE) for seed in range(5)])

    assert (found.tokens, sorted(model.known)) == (300, ["chart", "post", "query"])


class Model:
    """Answers from a cache, at no cost, what it was asked before."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def takes_time(self, job: str) -> bool:
        return bool(job)

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:  # noqa: ARG002  # the port's shape
        taken = 0 if ask.step in self.known else 100
        self.known.add(ask.step)
        use = plan.by_id[ask.step].use
        return Decision(ask.rule, use, "", "model", ask.rule, prompt=ask.step, tokens_in=taken)
