"""What happened, in words: one line for an event. Progress, logs and the history of a run all say it so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

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
from .model import Decision, Escalation, Failed, Purpose, Reconciled

EXPIRY = "expiry"
"""Who answers a question that nobody did."""


def tell(event: Event) -> str:
    """One line, without the step's name and without the time."""
    return _WORDS[type(event)](event)


def step_of(event: Event) -> str:
    """The step that it concerns; empty where it concerns the whole run."""
    if isinstance(event, Escalated):
        return event.escalation.step or ""
    return getattr(event, "step", "")


def decision(made: Decision) -> str:
    """`B by rule: transient: the source is locked`."""
    return f"{made.letter} by {made.by}{_ballot(made)}: {made.reason}"


def _ballot(made: Decision) -> str:
    """What else there is to know where a model was asked: the rule's own choice, the price, what was rejected."""
    if not made.model:
        return ""
    tokens = f"{'about ' if made.tokens_estimated else ''}{made.tokens_in}+{made.tokens_out} tokens"
    parts = [made.model, made.prompt_version, f"the rule says {made.rule}", tokens, f"{made.seconds:.1f} s"]
    parts += [f"cost {made.cost}"] if made.cost not in ("", "0") else []
    parts += [f"rejected: {why}" for why in made.rejected]
    return f" ({'; '.join(parts)})"


def failure(failed: Failed) -> str:
    """Kind, message and what could be done."""
    return f"{failed.kind}: {failed.message}" + (f" ({failed.hint})" if failed.hint else "")


def question(asked: Escalation) -> str:
    options = " | ".join(asked.options)
    return f"{asked.question} [{options}; {asked.default} at {asked.expires_at:%Y-%m-%d %H:%MZ}]"


_PURPOSES = {Purpose.REPAIR: ": repair", Purpose.PROBE: ": whether the source is complete"}


def decided(option: str, by: str, at: datetime) -> str:
    """What became of a question: `retry, by ada at 2026-03-01 10:05Z`."""
    if not option:
        return "no longer asked: the run went on without an answer"
    if by == EXPIRY:
        return f"nobody answered in time: {option} at {at:%H:%MZ}"
    return f"{option}, by {by} at {at:%Y-%m-%d %H:%MZ}"


def _begun(event: AttemptStarted) -> str:
    attempt = event.attempt
    if attempt.purpose is Purpose.RECONCILE:
        return f"attempt {attempt.number}: asking the receiver whether it has this already"
    return f"attempt {attempt.number}" + _PURPOSES.get(attempt.purpose, "")


def _ended(event: AttemptEnded) -> str:
    outcome = event.outcome
    if isinstance(outcome, Failed):
        return f"attempt {event.number} failed: {failure(outcome)}"
    if isinstance(outcome, Reconciled):
        said = outcome.summary or outcome.reason
        return f"the receiver says {outcome.verdict.replace('_', ' ')}" + (f": {said}" if said else "")
    return f"done: {outcome.summary}"


def _answered(event: Answered) -> str:
    who = "nobody in time, so the default holds" if event.by == "expiry" else event.by
    return f"answered {event.option} by {who}"


def _over(event: RunEnded) -> str:
    return event.state.value + (f": {event.reason}" if event.reason else "")


_WORDS: dict[type, Callable[[Any], str]] = {
    RunStarted: lambda _: "started",
    RunClaimed: lambda event: f"taken up by {event.owner}",
    AttemptStarted: _begun,
    AttemptEnded: _ended,
    Paced: lambda event: f"waits its turn at the destination until {event.until:%H:%M:%SZ}",
    GateOpened: lambda event: f"waits no longer: {event.reason}",
    RetryScheduled: lambda event: f"tries again at {event.until:%H:%M:%SZ}",
    EffectAdopted: lambda event: f"delivered before; nothing is sent: {event.summary}",
    Decided: lambda event: decision(event.decision),
    Escalated: lambda event: f"asks: {question(event.escalation)}",
    Answered: _answered,
    StepSkipped: lambda event: f"skipped: {event.cause}",
    StepFailed: lambda event: f"failed for good: {event.cause}",
    RunEnding: lambda event: f"ending as {event.state}: {event.reason}",
    RunEnded: _over,
}
