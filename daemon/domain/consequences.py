"""The event that an action makes, where nothing but the run itself is needed for it."""

from __future__ import annotations

from datetime import datetime

from .actions import (
    Action,
    BackOff,
    Begin,
    Escalate,
    Expire,
    FailStep,
    Finish,
    GoOn,
    SkipStep,
    WindDown,
)
from .events import (
    Answered,
    Escalated,
    Event,
    GateOpened,
    RetryScheduled,
    RunEnded,
    RunEnding,
    RunStarted,
    StepFailed,
    StepSkipped,
)
from .model import Run
from .plan import Plan
from .questions import question


def consequence(plan: Plan, run: Run, action: Action, now: datetime) -> Event:
    """Raises TypeError for an action that reaches outside: an attempt, a decision; and for a wait, which is none."""
    match action:
        case Begin():
            return RunStarted(now)
        case BackOff():
            return RetryScheduled(now, action.step, action.until)
        case GoOn():
            return GateOpened(now, action.step, action.reason)
        case Escalate():
            return Escalated(now, question(plan, run, action, now))
        case Expire():
            asked = run.escalations[action.escalation]
            return Answered(now, asked.id, asked.default, "expiry")
        case _:
            return _end(action, now)


def _end(action: Action, now: datetime) -> Event:
    """Of a step or of the run."""
    match action:
        case SkipStep():
            return StepSkipped(now, action.step, action.cause)
        case FailStep():
            return StepFailed(now, action.step, action.failure, action.cause)
        case WindDown():
            return RunEnding(now, action.state, action.reason)
        case Finish():
            return RunEnded(now, action.state, action.reason)
    raise TypeError(f"{type(action).__name__} makes no event by itself")
