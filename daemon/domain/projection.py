"""What the events of one change mean for the tables beside the runs: effects and escalations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, TypeGuard

from .actions import DELIVERED
from .events import Answered, AttemptEnded, AttemptStarted, Escalated, Event
from .model import Attempt, Escalation, Json, Outcome, Purpose, Reconciled, Run, StepRun, Succeeded, Verdict


@dataclass(frozen=True, slots=True)
class Intended:
    """An attempt that may cause the effect has begun; `sends` where it was not ended in the same breath."""

    key: str
    step: str
    attempt: int
    deadline: datetime
    sends: bool = True


@dataclass(frozen=True, slots=True)
class Delivered:
    """The effect has happened; this is its receipt."""

    key: str
    output: Json
    summary: str


@dataclass(frozen=True, slots=True)
class Voided:
    """The effect certainly has not happened."""

    key: str


Effected: TypeAlias = Intended | Delivered | Voided


@dataclass(frozen=True, slots=True)
class Closed:
    """A question that is no longer open. `option` and `by` are empty where nobody answered it."""

    id: str
    at: datetime
    option: str = ""
    by: str = ""


def effects(before: Run, after: Run, events: Iterable[Event]) -> Iterator[Effected]:
    """In the order of the events; `before` tells which attempt an ending belongs to, `after` what is still in doubt."""
    begun: dict[str, Attempt] = {}
    for event in events:
        if isinstance(event, AttemptStarted):
            begun[event.step] = event.attempt
            yield from _intended(event, _step(after, event.step))
        elif isinstance(event, AttemptEnded):
            was, now = _step(before, event.step), _step(after, event.step)
            yield from _ended(event, begun.get(event.step, was.attempt), was, now)
        elif isinstance(event, Answered) and event.option == DELIVERED:
            yield from _confirmed(before, event)


def opened(events: Iterable[Event]) -> list[Escalation]:
    return [event.escalation for event in events if isinstance(event, Escalated)]


def closed(before: Run, after: Run, events: Sequence[Event]) -> list[Closed]:
    """Every question that was open before, or was asked in this change, and is not open after it."""
    asked = [*before.escalations.values(), *opened(events)]
    answers = {event.escalation: event for event in events if isinstance(event, Answered)}
    last = events[-1].at if events else None
    return [_closed(one, answers.get(one.id), last) for one in asked if one.id not in after.escalations]


def _closed(asked: Escalation, answer: Answered | None, last: datetime | None) -> Closed:
    if answer is None:
        return Closed(asked.id, last or asked.expires_at)
    return Closed(asked.id, answer.at, answer.option, answer.by)


def _step(run: Run, step: str) -> StepRun:
    return run.steps.get(step) or StepRun(step)


def _intended(event: AttemptStarted, after: StepRun) -> Iterator[Effected]:
    attempt = event.attempt
    if attempt.purpose is Purpose.RUN and attempt.effect_key:
        sends = after.attempt is not None and after.attempt.number == attempt.number
        yield Intended(attempt.effect_key, event.step, attempt.number, attempt.deadline, sends)


def _ended(event: AttemptEnded, flying: Attempt | None, was: StepRun, now: StepRun) -> Iterator[Effected]:
    """A late result changes nothing. An intent is void once nothing of it is in doubt, or known to be there."""
    key, outcome = _key(flying, was), event.outcome
    if not key or not flying or flying.number != event.number:
        return
    if _happened(outcome, flying.purpose):
        yield Delivered(key, outcome.output, outcome.summary)
    elif now.unknown is None and not _in_part(outcome, now):
        yield Voided(key)


def _in_part(outcome: Outcome | Reconciled, step: StepRun) -> bool:
    return bool(step.parts) or (isinstance(outcome, Reconciled) and outcome.verdict is Verdict.PARTIAL)


def _happened(outcome: Outcome | Reconciled, purpose: Purpose) -> TypeGuard[Succeeded | Reconciled]:
    if isinstance(outcome, Reconciled):
        return outcome.verdict is Verdict.FOUND
    return isinstance(outcome, Succeeded) and purpose is Purpose.RUN


def _key(flying: Attempt | None, step: StepRun) -> str | None:
    """The effect that an attempt is about: its own, or the one in doubt that its receiver is asked about."""
    if flying is None or flying.purpose is Purpose.REPAIR:
        return None
    in_doubt = step.unknown if flying.purpose is Purpose.RECONCILE else None
    return flying.effect_key or (in_doubt.effect_key if in_doubt else None)


def _confirmed(before: Run, event: Answered) -> Iterator[Effected]:
    """A person has looked and found the effect at its receiver."""
    asked = before.escalations.get(event.escalation)
    step = _step(before, asked.step) if asked and asked.step else None
    if step and step.unknown and step.unknown.effect_key:
        yield Delivered(step.unknown.effect_key, None, f"confirmed as delivered by {event.by}")
