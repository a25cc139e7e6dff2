"""An effect that may have happened: never blindly repeated and never silently dropped, its receiver is asked."""

from __future__ import annotations

from datetime import datetime, timedelta

from .actions import ABORT, DELIVERED, RETRY, SKIP, Action, BackOff, Escalate, StartAttempt
from .limits import start
from .model import Purpose, Run, StepRun, StepState, Verdict
from .plan import Plan, Step

MAX_ASKS = 3
"""How often a receiver that cannot tell is asked before a person is."""
LONGEST_ABSENCE = timedelta(minutes=5)
"""The longest pause between two tries to reach a receiver that is away; it is waited for until the run's deadline."""


def resolve_unknown(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    """The next question, the pause before it, or a person's turn."""
    if at.verdict is Verdict.AWAY and at.unreached:
        return BackOff(step.id, now + _absence(step, at))
    if at.verdict is Verdict.CANNOT_TELL and at.asks:
        if at.asks >= MAX_ASKS:
            said = at.failure.told if at.failure else ""
            question = f"{step.title or step.id}: it is not known whether this was delivered. {said}"
            return Escalate(step.id, question, (DELIVERED, RETRY, SKIP, ABORT))
        return BackOff(step.id, now + step.retry.first * 2**at.asks)
    return start(plan, run, step.id, Purpose.RECONCILE)


def _absence(step: Step, at: StepRun) -> timedelta:
    asked = timedelta(seconds=(at.failure.retry_after or 0.0) if at.failure else 0.0)
    own: timedelta = step.retry.first * 2 ** min(at.unreached, 10)
    return min(max(asked, own), LONGEST_ABSENCE)


def settle_unknown(at: StepRun, now: datetime) -> Action | None:
    """The same in a run that is about to end: None once enough was asked."""
    if at.attempt or asked(at) >= MAX_ASKS or (at.wake_at and at.wake_at > now):
        return None
    if at.wake_at is None and asked(at):
        return BackOff(at.step, now + timedelta(seconds=2 ** asked(at)))
    return StartAttempt(at.step, Purpose.RECONCILE)


def asked(at: StepRun) -> int:
    """A run that is over waits for nobody who is away."""
    return at.asks + at.unreached


def with_unknown(run: Run, reason: str) -> str:
    unknown = [at.step for at in run.steps.values() if at.unknown and at.state is StepState.RUNNING]
    return f"{reason}; it is not known whether {', '.join(unknown)} was delivered" if unknown else reason
