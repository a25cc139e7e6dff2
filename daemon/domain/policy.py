"""What happens next: one pure, total function, and the only place where a run changes its mind.

No clock, no randomness, no I/O; time comes in as an argument. Resuming after a crash is the same call on the
loaded run. The answer is always one action; whoever performs it folds the event that it makes and asks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from . import stand_in
from .actions import (
    ABORT,
    APPROVE,
    REJECT,
    Action,
    Ask,
    BackOff,
    Begin,
    Escalate,
    Expire,
    Finish,
    GoOn,
    SkipStep,
    Wait,
    WindDown,
)
from .doubt import MAX_ASKS, asked, resolve_unknown, settle_unknown, with_unknown
from .limits import over_limit, run_deadline, start
from .model import Ending, Letter, Purpose, Run, RunState, StepRun, StepState
from .plan import Decide, Fresh, Plan, Step
from .retrying import answer_failure, crashed
from .verdict import verdict
from .wake import wakes


def next_action(plan: Plan, run: Run, now: datetime) -> Action:
    """The one thing to do now. Only `Wait` means that nothing can be done."""
    if run.state.ended:
        return Wait()
    if run.state is RunState.QUEUED:
        return Begin()
    if run.ending:
        return _wind_down(plan, run, run.ending, now)
    return next(_candidates(plan, run, now), None) or _conclude(plan, run, now)


def _candidates(plan: Plan, run: Run, now: datetime) -> Iterator[Action]:
    if reason := over_limit(plan, run, now):
        yield WindDown(RunState.FAILED, reason)
    for at in run.steps.values():
        if at.closes:
            yield WindDown(RunState.SUCCEEDED, f"nothing to go on with: {at.summary}")
    for question in run.escalations.values():
        if question.expires_at <= now:
            yield Expire(question.id)
    for step in plan.steps:
        if action := _step_action(plan, run, step, now):
            yield action


def _conclude(plan: Plan, run: Run, now: datetime) -> Action:
    if not all(step.state.ended for step in run.steps.values()):
        # A back-off that is over but finds no room waits for an outcome, not for its own past.
        coming = (at for at in wakes(run) if at > now)
        return Wait(min([run_deadline(plan, run), *coming]))
    return Finish(*verdict(plan, run))


def _step_action(plan: Plan, run: Run, step: Step, now: datetime) -> Action | None:
    at = run.steps[step.id]
    if at.state is StepState.PENDING:
        return _cut_off(plan, run, step)
    if at.state is StepState.READY:
        return _beforestart(plan, run, step, at, now)
    if at.state is StepState.RUNNING:
        return _while_running(plan, run, step, at, now)
    return None


def _cut_off(plan: Plan, run: Run, step: Step) -> Action | None:
    """A step whose strong need will never be met, or that has nothing to stand in for, is skipped with the cause."""
    for need in step.needs:
        at = stand_in.provider(plan, run, need)
        if at.state in (StepState.FAILED, StepState.SKIPPED):
            verb = "failed" if at.state is StepState.FAILED else "was skipped"
            return SkipStep(step.id, f"needs {need}, which {verb}: {at.cause}")
    if cause := stand_in.spared(plan, run, step):
        return SkipStep(step.id, cause)
    return None


def _beforestart(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    if step.fresh and not at.fresh:
        return _gate(plan, run, step, step.fresh, at, now)
    if step.approve and not at.approved:
        return Escalate(step.id, f"Approve {step.title or step.id}?", (APPROVE, REJECT, ABORT))
    if plan.decide is Decide.ALWAYS and not at.cleared and not at.given_up:
        return Ask(step.id, (Letter.A,), Letter.A, "its needs are met")
    return start(plan, run, step.id, Purpose.RUN)


def _gate(plan: Plan, run: Run, step: Step, gate: Fresh, at: StepRun, now: datetime) -> Action | None:
    """The source is probed until it is complete; the waits between are stored times, as those of a back-off."""
    if at.crashes >= plan.limits.crashes + at.grace:
        return crashed(step, at)
    if at.probed_since is None or not at.stale:
        return start(plan, run, step.id, Purpose.PROBE)
    until = at.probed_since + gate.at_most
    if now >= until:
        return GoOn(step.id, f"{gate.use} was waited for from {at.probed_since:%H:%MZ} to {now:%H:%MZ}: {at.stale}")
    return BackOff(step.id, min(now + gate.every, until))


def _while_running(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    """A running step is in exactly one place; see StepRun."""
    if at.attempt or at.escalation:
        return None
    if at.wake_at:
        return _awake(plan, run, step, at) if at.wake_at <= now else None
    if at.unknown:
        return resolve_unknown(plan, run, step, at, now)
    if at.failure:
        return answer_failure(plan, run, step, at, at.failure, now)
    return _beforestart(plan, run, step, at, now)


def _awake(plan: Plan, run: Run, step: Step, at: StepRun) -> Action | None:
    if step.fresh and not at.fresh:
        return start(plan, run, at.step, Purpose.PROBE)
    return start(plan, run, at.step, Purpose.RECONCILE if at.unknown else Purpose.RUN)


def _wind_down(plan: Plan, run: Run, ending: Ending, now: datetime) -> Action:
    """Nothing new starts. What is in flight is being killed; an effect that may have happened is asked about."""
    for step in plan.steps:
        at = run.steps[step.id]
        if at.state is not StepState.RUNNING or not at.unknown:
            continue
        if action := settle_unknown(at, now):
            return action
    if waits := [at.wake_at for at in run.steps.values() if at.wake_at and at.unknown and asked(at) < MAX_ASKS]:
        return Wait(min(waits))
    if any(at.attempt for at in run.steps.values()):
        return Wait()
    return Finish(ending.state, with_unknown(run, ending.reason))
