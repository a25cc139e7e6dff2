"""A step comes to rest: it is done, or its receiver has said what became of an effect in doubt."""

from __future__ import annotations

from datetime import datetime

from .defaults import SETTLE
from .errors import Kind
from .model import Failed, Json, Reconciled, StepRun, StepState, Succeeded, Verdict
from .values import replace


def done(step: StepRun, outcome: Succeeded, at: datetime) -> StepRun:
    """The step has its output; nothing of it is in doubt any more."""
    return replace(
        step,
        state=StepState.DONE,
        output=outcome.output,
        summary=outcome.summary,
        artifacts=outcome.artifacts,
        closes=closes(outcome.output),
        failure=None,
        unknown=None,
        wake_at=None,
        ended_at=at,
    )


def closes(output: Json) -> bool:
    """Whether an output says that there is no data and that a run without data is to end here, and end well."""
    return isinstance(output, dict) and output.get("no_data") is True and output.get("on_no_data") == "skip"


AWAY = frozenset({Kind.TRANSIENT, Kind.TIMEOUT})
"""How a question to a receiver fails that nobody was there to hear."""


def unanswered(step: StepRun, asked_at: datetime, failure: Failed, at: datetime) -> StepRun:
    """A receiver that is away is waited for; a question that fails in any other way is an answer that says nothing."""
    if failure.kind in AWAY:
        return replace(step, verdict=Verdict.AWAY, unreached=step.unreached + 1, failure=failure, wake_at=None)
    return reconciled(step, asked_at, Reconciled(Verdict.CANNOT_TELL, reason=failure.message), at)


def reconciled(step: StepRun, asked_at: datetime, answer: Succeeded | Reconciled, at: datetime) -> StepRun:
    """`found` counts at once; anything else only if it was asked for after the unknown attempt's deadline and settling
    time: an answer may lie unread until long after the receiver looked.
    """
    step = replace(step, unreached=0)
    if isinstance(answer, Succeeded):
        answer = Reconciled(Verdict.CANNOT_TELL, reason="the receiver gave an answer of the wrong kind")
    if answer.verdict is Verdict.FOUND:
        return replace(done(step, Succeeded(answer.output, answer.summary), at), verdict=answer.verdict)
    settled = settled_at(step)
    if asked_at < settled:
        return replace(step, verdict=answer.verdict, wake_at=settled)
    if answer.verdict is Verdict.CANNOT_TELL:
        lost = Failed(Kind.UNKNOWN_OUTCOME, answer.reason or "the receiver cannot tell whether it has this")
        return replace(step, verdict=answer.verdict, asks=step.asks + 1, failure=lost, wake_at=None)
    return replace(step, verdict=answer.verdict, parts=answer.parts, unknown=None, asks=0, wake_at=None)


def settled_at(step: StepRun) -> datetime:
    """When an effect that is not there yet may be called not found."""
    if step.unknown is None:
        raise ValueError(f"step {step.step!r} has no unknown effect to settle")
    return step.unknown.deadline + SETTLE
