"""Folding one event into a run: the only way in which a run changes. Pure, and total over every event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from . import stand_in
from .digests import error_digest
from .errors import RULES, Kind
from .events import (
    Answered,
    AttemptEnded,
    AttemptStarted,
    Decided,
    EffectAdopted,
    Escalated,
    Event,
    GateOpened,
    Paced,
    RetryScheduled,
    RunClaimed,
    RunEnded,
    RunEnding,
    RunStarted,
    StepFailed,
    StepSkipped,
)
from .model import (
    Attempt,
    Ending,
    Failed,
    Letter,
    Purpose,
    Reconciled,
    Run,
    RunState,
    StepRun,
    StepState,
    Succeeded,
)
from .plan import Plan, Step
from .settling import done, reconciled, unanswered
from .values import replace


def fold(plan: Plan, run: Run, event: Event) -> Run:
    """The run after `event`. An event about something that is no longer so (a late result) changes nothing."""
    changed: Run = _FOLDS[type(event)](plan, run, event)
    return replace(changed, sequence=run.sequence + 1, **_follows(plan, changed))


def _follows(plan: Plan, run: Run) -> dict[str, Any]:
    """What follows by itself: steps whose needs are met become ready, and the run says whether it waits."""
    if run.state.ended or not run.steps:
        return {}
    ready = {
        step.id: replace(run.steps[step.id], state=StepState.READY) for step in plan.steps if _opens(plan, run, step)
    }
    state = RunState.WAITING if _waits(run) else RunState.RUNNING
    return {"steps": {**run.steps, **ready}, "state": state} if ready else {"state": state}


def _opens(plan: Plan, run: Run, step: Step) -> bool:
    return run.steps[step.id].state is StepState.PENDING and stand_in.opens(plan, run, step)


def _waits(run: Run) -> bool:
    steps = run.steps.values()
    return not any(s.attempt for s in steps) and any(s.wake_at or s.escalation for s in steps)


def _put(run: Run, step: StepRun) -> Run:
    return replace(run, steps={**run.steps, step.step: step})


def _run_started(plan: Plan, run: Run, event: RunStarted) -> Run:
    steps = {step.id: StepRun(step.id) for step in plan.steps}
    return replace(run, state=RunState.RUNNING, started_at=event.at, steps=steps)


def _run_claimed(plan: Plan, run: Run, event: RunClaimed) -> Run:
    """Whatever was in flight under an earlier epoch is gone, and counts as a crash of its step."""
    lost = Failed(Kind.INTERRUPTED, "the daemon stopped while this attempt was running")
    for step in run.steps.values():
        if step.attempt:
            crashed = replace(step, attempt=None, crashes=step.crashes + 1)
            run = _put(run, _failed(plan, crashed, step.attempt, lost, event.at))
    return run


def _attempt_started(plan: Plan, run: Run, event: AttemptStarted) -> Run:
    step = run.steps[event.step]
    repairing, probing = event.attempt.purpose is Purpose.REPAIR, event.attempt.purpose is Purpose.PROBE
    return _put(
        run,
        replace(
            step,
            state=StepState.RUNNING,
            started=event.attempt.number,
            started_at=step.started_at or event.at,
            attempt=event.attempt,
            wake_at=None,
            # A repair and a question to the receiver leave open what they are about.
            failure=step.failure if event.attempt.purpose is not Purpose.RUN else None,
            cleared=step.cleared and event.attempt.purpose is not Purpose.RUN,
            repaired=step.repaired or repairing,
            missing=event.missing or step.missing,
            probed_since=step.probed_since or (event.at if probing else None),
        ),
    )


def _attempt_ended(plan: Plan, run: Run, event: AttemptEnded) -> Run:
    step = run.steps[event.step]
    if step.attempt is None or step.attempt.number != event.number:
        return run
    attempt, closed = step.attempt, replace(step, attempt=None)
    # A step of the wall clock is nobody's work, and no attempt works beyond its deadline.
    seconds = max(0.0, (min(event.at, attempt.deadline) - attempt.started_at).total_seconds())
    run = replace(run, active_seconds=run.active_seconds + seconds)
    return _put(run, _closed(plan, closed, attempt, event))


def _closed(plan: Plan, step: StepRun, attempt: Attempt, event: AttemptEnded) -> StepRun:
    outcome = event.outcome
    if isinstance(outcome, Failed):
        return _failed(plan, step, attempt, outcome, event.at)
    if attempt.purpose is Purpose.RECONCILE:
        return reconciled(step, attempt.started_at, outcome, event.at)
    if isinstance(outcome, Reconciled):
        unasked = Failed(Kind.INVALID_OUTPUT, "the tool answered a question that nobody asked")
        return _failed(plan, step, attempt, unasked, event.at)
    if attempt.purpose is Purpose.REPAIR:
        return replace(step, failure=None, cleared=True)
    if attempt.purpose is Purpose.PROBE:
        return replace(step, fresh=True, stale="")
    return done(step, outcome, event.at)


def _failed(plan: Plan, step: StepRun, attempt: Attempt, failure: Failed, at: datetime) -> StepRun:
    """A question and a repair that fail leave the failure that they were about; a probe has none."""
    if attempt.purpose is Purpose.PROBE:
        return replace(step, stale="" if failure.kind is Kind.INTERRUPTED else failure.message or failure.kind.value)
    if attempt.purpose is Purpose.RECONCILE:
        return unanswered(step, attempt.started_at, failure, at)
    if attempt.purpose is Purpose.REPAIR:
        return replace(step, repaired=failure.kind is not Kind.INTERRUPTED)
    return _after_failure(plan, step, attempt, failure)


def _after_failure(plan: Plan, step: StepRun, attempt: Attempt, failure: Failed) -> StepRun:
    """The failure waits for the policy's answer. Being interrupted is nobody's try."""
    interrupted = failure.kind is Kind.INTERRUPTED
    doubt = _may_have_happened(plan, step, attempt, failure)
    error = error_digest(failure, attempt.input_digest)
    if error == step.last_error and not RULES[failure.kind].repeats:
        failure = Failed(Kind.NO_PROGRESS, f"the same input gave the same error again: {failure.message}")
    return replace(
        step,
        attempt=None,
        failure=failure,
        tries=step.tries + (not interrupted and attempt.purpose is Purpose.RUN),
        unknown=attempt if doubt else step.unknown,
        verdict=None if doubt else step.verdict,
        asks=0 if doubt else step.asks,
        unreached=0 if doubt else step.unreached,
        last_error=error,
        # What was decided before the crash is replayed, not asked again.
        cleared=interrupted,
    )


def _may_have_happened(plan: Plan, step: StepRun, attempt: Attempt, failure: Failed) -> bool:
    external = plan.is_external(plan.by_id[step.step]) and attempt.purpose is Purpose.RUN
    return external and RULES[failure.kind].unknown


def _retry_scheduled(plan: Plan, run: Run, event: RetryScheduled) -> Run:
    step = run.steps[event.step]
    # Waiting to ask a receiver or a source again says nothing about the try that may follow.
    gated = plan.by_id[event.step].fresh is not None and not step.fresh
    return _put(run, replace(step, wake_at=event.until, cleared=step.unknown is None and not gated))


def _paced(plan: Plan, run: Run, event: Paced) -> Run:
    """What was agreed to holds for when its turn comes."""
    step = run.steps[event.step]
    return _put(run, replace(step, state=StepState.RUNNING, wake_at=event.until))


def _gate_opened(plan: Plan, run: Run, event: GateOpened) -> Run:
    return _put(run, replace(run.steps[event.step], fresh=True, stale=event.reason, wake_at=None))


def _effect_adopted(plan: Plan, run: Run, event: EffectAdopted) -> Run:
    step = replace(run.steps[event.step], started_at=event.at, state=StepState.RUNNING)
    return _put(run, done(step, Succeeded(event.output, event.summary), event.at))


def _decided(plan: Plan, run: Run, event: Decided) -> Run:
    step, decision = run.steps[event.step], event.decision
    run = replace(run, active_seconds=run.active_seconds + max(0.0, decision.seconds))
    if decision.letter is Letter.C:
        return _put(run, replace(step, given_up=True, disputed=decision.rule is not Letter.C))
    if decision.letter is Letter.A and step.failure:
        # Going on after a failure is going on without the step.
        return _put(run, replace(step, given_up=True))
    return _put(run, replace(step, cleared=True, changes={**step.changes, **decision.input}))


def _escalated(plan: Plan, run: Run, event: Escalated) -> Run:
    question = event.escalation
    run = replace(run, escalations={**run.escalations, question.id: question})
    if question.step is None:
        return run
    step = run.steps[question.step]
    return _put(run, replace(step, escalation=question.id, state=StepState.RUNNING, wake_at=None))


def _answered(plan: Plan, run: Run, event: Answered) -> Run:
    question = run.escalations.get(event.escalation)
    if question is None:
        return run
    if event.option == "abort":
        return _ending(run, Ending(RunState.FAILED, f"aborted by {event.by}: {question.question}"))
    rest = {key: value for key, value in run.escalations.items() if key != event.escalation}
    run = replace(run, escalations=rest)
    if question.step is None:
        return run
    return _put(run, _answer_step(run.steps[question.step], event))


def _answer_step(step: StepRun, event: Answered) -> StepRun:
    step = replace(step, escalation=None)
    if event.option == "approve":
        return replace(step, approved=True)
    if event.option == "delivered":
        return done(step, Succeeded(None, f"confirmed as delivered by {event.by}"), event.at)
    if event.option in ("skip", "reject"):
        verb = {"skip": "skipped", "reject": "rejected"}[event.option]
        return replace(step, state=StepState.SKIPPED, cause=f"{verb} by {event.by}", ended_at=event.at)
    return replace(
        step,
        failure=None,
        unknown=None,
        given_up=False,
        disputed=False,
        cleared=True,
        last_error="",
        grace=step.grace + 1,
        changes={**step.changes, **event.changes},
    )


def _step_skipped(plan: Plan, run: Run, event: StepSkipped) -> Run:
    step = run.steps[event.step]
    return _put(run, replace(step, state=StepState.SKIPPED, cause=event.cause, ended_at=event.at, wake_at=None))


def _step_failed(plan: Plan, run: Run, event: StepFailed) -> Run:
    step = replace(run.steps[event.step], state=StepState.FAILED, failure=event.failure, cause=event.cause)
    return _put(run, replace(step, ended_at=event.at, wake_at=None))


def _run_ending(plan: Plan, run: Run, event: RunEnding) -> Run:
    return _ending(run, Ending(event.state, event.reason))


def _ending(run: Run, ending: Ending) -> Run:
    """Nobody is waited for any more, and nothing but the settling of an effect that may have happened."""
    steps = {
        key: replace(step, escalation=None, wake_at=step.wake_at if step.unknown else None)
        for key, step in run.steps.items()
    }
    return replace(run, ending=ending, escalations={}, steps=steps)


def _run_ended(plan: Plan, run: Run, event: RunEnded) -> Run:
    return replace(run, state=event.state, reason=event.reason, ended_at=event.at, escalations={})


_FOLDS: dict[type, Callable[[Plan, Run, Any], Run]] = {
    RunStarted: _run_started,
    RunClaimed: _run_claimed,
    AttemptStarted: _attempt_started,
    AttemptEnded: _attempt_ended,
    RetryScheduled: _retry_scheduled,
    Paced: _paced,
    GateOpened: _gate_opened,
    EffectAdopted: _effect_adopted,
    Decided: _decided,
    Escalated: _escalated,
    Answered: _answered,
    StepSkipped: _step_skipped,
    StepFailed: _step_failed,
    RunEnding: _run_ending,
    RunEnded: _run_ended,
}
