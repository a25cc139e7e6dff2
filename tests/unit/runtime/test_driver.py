"""One run in the hands of one process: what is stored when, what is launched, and what is believed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.domain.actions import Ask
from daemon.domain.defaults import Limits, Retry
from daemon.domain.errors import ClockwrightError, Kind
from daemon.domain.events import AttemptEnded, Decided, EffectAdopted, Event
from daemon.domain.model import Decision, Letter, Purpose, RunState, StepState, Succeeded
from daemon.domain.plan import Accept, Decide, Exhausted, Repair, Step
from daemon.ports import Ended, MessageKind, Stale
from daemon.runtime.driver import Arrival, Driver
from daemon.testing.inline_executor import InlineExecutor
from daemon.testing.memory_journal import MemoryJournal
from daemon.testing.plays import Script, fail, hang, lose_answer, succeed
from daemon.testing.scripted_decider import ScriptedDecider, agree, choose, refuse
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan, make_run

SEND = Step("post", "send", inputs={"to": "#a"})
TWO = make_plan([Step("look", "look"), replace(SEND, needs=("look",))])


def events(stage: Stage, run_id: str, kind: type[Event]) -> list[Event]:
    return [event for event in stage.store.events(run_id) if isinstance(event, kind)]


def test_a_healthy_run_succeeds_and_commits_once_a_step_and_once_more() -> None:
    commits: list[str] = []
    stage = Stage()
    stage.store.after_commit = commits.append
    run = stage.run(TWO)
    assert run.state is RunState.SUCCEEDED
    assert commits == ["save_plan", "create", "commit", "commit"]


def test_nothing_is_launched_before_the_commit_that_names_it() -> None:
    stage = Stage()
    stage.store.before_commit = lambda name: None if name != "create" else stop()
    with pytest.raises(KeyError):
        stage.run(TWO)
    assert stage.runner.calls == []


def stop() -> None:
    raise Stale("somebody else")


def test_independent_steps_fly_together() -> None:
    stage = Stage()
    stage.begin(make_plan([Step("a", "look"), Step("b", "look")]))
    assert [call.id.rsplit(".", 2)[1] for call in stage.runner.calls] == ["a", "b"]


def test_a_reference_brings_the_output_of_the_step_before() -> None:
    second = Step("b", "look", needs=("a",), inputs={"n": "${steps.a.output.n}"})
    stage = Stage(Script({"a": succeed({"n": 7})}))
    stage.run(make_plan([Step("a", "look"), second]))
    assert stage.runner.calls[1].input == {"n": 7}


def test_an_output_that_breaks_the_rules_is_a_failed_attempt() -> None:
    step = Step("a", "look", accept=(Accept("rows", "min", 1),), on_exhausted=Exhausted.FAIL)
    run = Stage(Script({"a": succeed({"rows": 0})})).run(make_plan([step]))
    assert run.state is RunState.FAILED
    assert "bad_data" in run.reason


@pytest.mark.parametrize("output", [{"n": float("nan")}, {"text": "\ud800"}, {"n": float("inf")}])
def test_an_output_that_is_no_plain_json_is_a_failed_attempt(output: object) -> None:
    stage = Stage(Script({"a": succeed(output)}))
    run = stage.run(make_plan([Step("a", "look", on_exhausted=Exhausted.FAIL)]))
    assert "not plain JSON" in run.reason
    assert "run_defect" not in stage.sink.topics()


def test_a_large_output_is_spilled_and_read_back() -> None:
    second = Step("b", "look", needs=("a",), inputs={"text": "${steps.a.output.text}"})
    stage = Stage(Script({"a": succeed({"text": "x" * 9000})}))
    run = stage.run(make_plan([Step("a", "look"), second]))
    assert set(run.steps["a"].output) == {"$spilled"}
    assert stage.runner.calls[1].input == {"text": "x" * 9000}


def test_the_same_outcome_told_twice_counts_once() -> None:
    stage = Stage(Script({("a", 1): replace(fail(Kind.TRANSIENT), repeats=True)}))
    run = stage.run(make_plan([Step("a", "look", retry=Retry(2))]))
    assert (run.state, run.steps["a"].tries) == (RunState.SUCCEEDED, 1)


def test_an_outcome_of_a_call_that_is_not_ours_is_not_believed() -> None:
    stage = Stage()
    plan = make_plan([Step("a", "look")])
    driver = Driver(stage.outside, plan, make_run(plan, stage.clock.now()), print)
    driver.advance()
    driver.advance([Arrival("a", 9, Ended(Succeeded({}, "late")))])
    assert driver.busy


def test_a_lost_answer_is_asked_for_and_adopted() -> None:
    stage = Stage(Script({("post", 1): lose_answer()}))
    run = stage.run(make_plan([SEND]))
    assert run.state is RunState.SUCCEEDED
    assert len(stage.runner.receiver.parcels) == 1


def test_an_effect_that_never_arrived_is_sent_after_the_settling_time() -> None:
    stage = Stage(Script({("post", 1): fail(Kind.CRASHED)}))
    run = stage.run(make_plan([SEND]))
    assert run.state is RunState.SUCCEEDED
    assert stage.runner.receiver.parcels[0].at > 70.0


def test_what_is_there_of_an_effect_is_not_sent_again() -> None:
    stage = Stage(Script({("post", 1): lose_answer(parts=1)}))
    stage.runner.receiver.parts = ("picture", "message")
    stage.run(make_plan([SEND]))
    assert [parcel.part for parcel in stage.runner.receiver.parcels] == ["picture", "message"]
    assert stage.runner.calls[-1].parts == ("picture",)


def test_a_second_run_for_the_same_date_adopts_the_receipt() -> None:
    stage = Stage()
    plan = make_plan([SEND])
    stage.run(plan)
    again = stage.begin(plan, revision=2)
    assert stage.play(again).state is RunState.SUCCEEDED
    assert len(events(stage, again, EffectAdopted)) == 1
    assert len(stage.runner.receiver.parcels) == 1


def test_a_second_run_asks_about_what_the_first_may_have_sent() -> None:
    stage = Stage(Script({("post", 1): hang()}))
    plan = make_plan([SEND])
    stage.begin(plan)
    stage.clock.advance(1.0)
    again = stage.begin(plan, revision=2)
    assert stage.store.load(again).steps["post"].attempt is not None
    assert stage.runner.calls[-1].purpose is Purpose.RECONCILE


def test_a_missing_secret_is_a_clear_failure_and_leaves_the_effect_alone() -> None:
    stage = Stage()
    stage.outside = replace(stage.outside, secret=unset)
    stage.restart()
    run = stage.run(make_plan([replace(SEND, secrets={"token": "slack"}, on_exhausted=Exhausted.FAIL)]))
    assert "no secret named slack" in run.reason
    assert stage.runner.calls == []
    assert stage.store.effects(run.id) == []


def unset(name: str) -> str:
    raise ClockwrightError(f"no secret named {name}")


def test_a_repair_gets_its_own_inputs_and_the_step_runs_again() -> None:
    step = Step("a", "look", repair=Repair("mend", {"how": "gently"}))
    stage = Stage(Script({("a", 1): fail(Kind.BAD_DATA)}))
    assert stage.run(make_plan([step])).state is RunState.SUCCEEDED
    assert [(call.tool, call.input) for call in stage.runner.calls][1] == ("mend", {"how": "gently"})


def test_a_cancel_kills_what_flies_and_ends_the_run() -> None:
    stage = Stage(Script({"a": hang()}))
    run_id = stage.begin(make_plan([Step("a", "look")]))
    stage.post(run_id, MessageKind.CANCEL, {})
    stage.clock.advance(1.0)
    run = stage.store.load(run_id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled by ada")


def test_a_cancelled_run_still_learns_what_was_delivered() -> None:
    stage = Stage(Script({("post", 1): replace(hang(), sends=0.5)}))
    run_id = stage.begin(make_plan([SEND]))
    stage.clock.advance(1.0)
    stage.post(run_id, MessageKind.CANCEL, {})
    run = stage.play(run_id)
    assert (run.state, run.steps["post"].state) == (RunState.CANCELLED, StepState.DONE)


def test_a_run_past_its_deadline_still_learns_what_was_delivered() -> None:
    limits = Limits(deadline=timedelta(seconds=5), answer_within=timedelta(seconds=2))
    stage = Stage(Script({("post", 1): replace(hang(), sends=0.5)}))
    run = stage.run(make_plan([SEND], limits=limits))
    assert (run.state, run.steps["post"].state) == (RunState.FAILED, StepState.DONE)


BAD_ANSWERS = [
    {"option": "delivered"},
    {"option": None},
    {"digest": "older"},
    {"escalation": "another"},
    {"changes": {"to": "#b"}},
    {"changes": "nonsense"},
]


@pytest.mark.parametrize("wrong", BAD_ANSWERS, ids=str)
def test_an_answer_that_the_question_does_not_allow_is_refused_and_told(wrong: dict[str, object]) -> None:
    stage = Stage(Script({"a": fail(Kind.DENIED)}))
    run_id = stage.begin(make_plan([Step("a", "look")]))
    stage.play(run_id)
    question = next(iter(stage.store.load(run_id).escalations))
    stage.post(run_id, MessageKind.ANSWER, {"escalation": question, "option": "retry", **wrong})
    run = stage.store.load(run_id)
    assert len(run.escalations) == 1
    assert stage.sink.topics() == ["answer_refused"]
    assert stage.store.messages(run_id) == []


def test_an_answer_that_comes_too_late_is_refused() -> None:
    stage = Stage(Script({"a": fail(Kind.DENIED)}))
    run_id = stage.begin(make_plan([Step("a", "look")]))
    question = next(iter(stage.play(run_id).escalations.values()))
    stage.clock.advance(5 * 3600)
    stage.post(run_id, MessageKind.ANSWER, {"escalation": question.id, "option": "skip"})
    assert stage.store.load(run_id).reason.startswith("aborted by expiry")


def test_the_first_of_two_answers_wins() -> None:
    stage = Stage(Script({("a", 1): fail(Kind.DENIED)}))
    run_id = stage.begin(make_plan([Step("a", "look")]))
    question = next(iter(stage.play(run_id).escalations.values()))
    for option in ("retry", "skip"):
        stage.post(run_id, MessageKind.ANSWER, {"escalation": question.id, "option": option})
    assert stage.play(run_id).state is RunState.SUCCEEDED


ALWAYS = make_plan([Step("a", "look", open=("note",))], decide=Decide.ALWAYS)
NONSENSE = {
    "a letter that is not allowed": choose(Letter.C),
    "another tool": choose(Letter.A, tool="send"),
    "a locked input": choose(Letter.A, inputs={"to": "#b"}),
    "an input that is no JSON": choose(Letter.A, inputs={"note": float("nan")}),
    "no answer at all": refuse,
}


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_from_a_decider_is_refused_and_the_rule_goes_on(nonsense: str) -> None:
    stage = Stage(decider=ScriptedDecider([NONSENSE[nonsense]]))
    run = stage.run(ALWAYS)
    [decided] = [event for event in stage.store.events(run.id) if isinstance(event, Decided)]
    assert (run.state, decided.decision.by, decided.decision.letter) == (RunState.SUCCEEDED, "rule", Letter.A)
    assert stage.runner.calls[0].input == {}


def test_a_decider_may_set_an_open_input() -> None:
    stage = Stage(decider=ScriptedDecider([choose(Letter.A, inputs={"note": "x"})]))
    stage.run(ALWAYS)
    assert stage.runner.calls[0].input == {"note": "x"}


def test_a_decider_cannot_hide_that_the_rule_would_retry() -> None:
    lying = ScriptedDecider([choose(Letter.A), lambda step, ask: replace(choose(Letter.C)(step, ask), rule=Letter.C)])
    stage = Stage(Script({"a": fail(Kind.TRANSIENT)}), decider=lying)
    plan = make_plan([Step("a", "look", on_exhausted=Exhausted.FAIL)], decide=Decide.ALWAYS)
    assert stage.play(stage.begin(plan)).escalations


def test_what_is_known_is_stored_before_a_model_is_asked() -> None:
    seen: list[int] = []
    stage = Stage(Script({("a", 1): fail(Kind.BAD_DATA)}))

    def look(step: Step, ask: Ask) -> Decision:
        seen.append(len([event for event in stage.sink.events if isinstance(event, AttemptEnded)]))
        return agree(step, ask)

    stage.outside = replace(stage.outside, decider=ScriptedDecider([look], takes_time=True))
    stage.restart()
    stage.run(make_plan([Step("a", "look", on_exhausted=Exhausted.FAIL)]))
    assert seen == [1]


def test_after_a_kill_the_run_goes_on_where_it_was() -> None:
    stage = Stage()
    run_id = stage.begin(TWO)
    stage.clock.advance(0.15)
    stage.restart()
    run = stage.play(run_id)
    assert run.state is RunState.SUCCEEDED
    assert [call.id.rsplit(".", 2)[1] for call in stage.runner.calls if call.purpose is Purpose.RUN] == ["post"]
    assert len(stage.runner.receiver.parcels) == 1


def test_a_restart_does_not_shorten_a_wait() -> None:
    stage = Stage(Script({("a", 1): fail(Kind.TRANSIENT, after=300.0)}))
    run_id = stage.begin(make_plan([Step("a", "look")]))
    stage.clock.advance(10.0)
    stage.restart()
    assert stage.play(run_id).steps["a"].tries == 1
    assert stage.clock.boot() > 300


def test_an_output_that_says_skip_without_data_ends_the_run_well_and_sends_nothing() -> None:
    stage = Stage(Script({"look": succeed({"no_data": True, "on_no_data": "skip"})}))
    run = stage.run(TWO)
    assert run.state is RunState.SUCCEEDED
    assert run.reason.startswith("nothing to go on with")
    assert run.steps["post"].started == 0


def test_what_an_earlier_revision_left_can_be_read_and_is_null_where_there_is_none() -> None:
    told = make_plan([Step("look", "look"), Step("say", "keep", inputs={"was": "${earlier.look.output.net}"})])
    stage = Stage(Script({"look": succeed({"net": "1.00"})}))
    due = stage.clock.now()
    stage.plans.keep(told)
    for revision in (1, 2):
        run = make_run(told, due, revision)
        stage.executor.begin(run, told)
        stage.play(run.id)
    assert [call.input for call in stage.runner.calls if call.tool == "keep"] == [{"was": None}, {"was": "1.00"}]


def test_whoever_was_frozen_between_commit_and_launch_sends_nothing_even_where_the_wall_clock_was_set_back() -> None:
    stage = Stage()

    def freeze(name: str) -> None:
        stage.store.after_commit = lambda _: None
        stage.clock.advance(120)
        stage.clock.step(-3600)

    journal = MemoryJournal()
    stage.outside = replace(stage.outside, journal=journal)
    stage.executor = InlineExecutor(stage.outside, stage.plans, stage.clock)
    stage.plans.keep(make_plan([SEND]))
    stage.store.after_commit = freeze
    run_id = stage.begin(make_plan([SEND]))

    assert stage.runner.calls == []
    assert journal.entries() == [], "others may have meant it since: theirs is the newest"
    assert stage.play(run_id).state is RunState.SUCCEEDED
    first = events(stage, run_id, AttemptEnded)[0]
    assert isinstance(first, AttemptEnded)
    assert str(first.outcome).count("not begun: its time had passed") == 1


def test_a_question_to_a_receiver_says_since_when_the_effect_may_have_happened() -> None:
    stage = Stage(Script({("post", 1): lose_answer(Kind.UNKNOWN_OUTCOME)}))
    began = stage.clock.now()
    stage.run(make_plan([SEND]))

    asked = [call for call in stage.runner.calls if call.purpose is Purpose.RECONCILE]
    assert [call.since for call in asked] == [began]
    assert all(call.since is None for call in stage.runner.calls if call.purpose is Purpose.RUN)
