"""What the events of one change mean for the tables beside the runs: effects and escalations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from .errors import RULES
from .events import Answered, AttemptEnded, AttemptStarted, Escalated, Event
from .model import Attempt, Escalation, Json, Outcome, Purpose, Reconciled, Run, StepRun, Succeeded, Verdict


@dataclass(frozen=True, slots=True)
class Intended:
    """An attempt that may cause the effect has begun."""

    key: str
    step: str
    attempt: int
    deadline: datetime


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


def effects(before: Run, events: Iterable[Event]) -> Iterator[Effected]:
    """In the order of the events; `before` tells which attempt an ending belongs to."""
    begun: dict[str, Attempt] = {}
    for event in events:
        if isinstance(event, AttemptStarted):
            begun[event.step] = event.attempt
            yield from _intended(event)
        elif isinstance(event, AttemptEnded):
            step = before.steps.get(event.step, StepRun(event.step))
            yield from _ended(event.outcome, begun.get(event.step, step.attempt), step.unknown)


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


def _intended(event: AttemptStarted) -> Iterator[Effected]:
    attempt = event.attempt
    if attempt.purpose is Purpose.RUN and attempt.effect_key:
        yield Intended(attempt.effect_key, event.step, attempt.number, attempt.deadline)


def _ended(outcome: Outcome | Reconciled, flying: Attempt | None, unknown: Attempt | None) -> Iterator[Effected]:
    if isinstance(outcome, Reconciled):
        yield from _reconciled(outcome, _key(flying) or _key(unknown))
    elif flying and flying.purpose is Purpose.RUN and flying.effect_key:
        yield from _tried(outcome, flying.effect_key, doubt=unknown is not None)


def _key(attempt: Attempt | None) -> str | None:
    return attempt.effect_key if attempt else None


def _reconciled(outcome: Reconciled, key: str | None) -> Iterator[Effected]:
    if key and outcome.verdict is Verdict.FOUND:
        yield Delivered(key, outcome.output, outcome.summary)
    elif key and outcome.verdict is Verdict.NOT_FOUND:
        yield Voided(key)


def _tried(outcome: Outcome, key: str, *, doubt: bool) -> Iterator[Effected]:
    """A clean failure voids the intent, unless an earlier attempt may have gone through."""
    if isinstance(outcome, Succeeded):
        yield Delivered(key, outcome.output, outcome.summary)
    elif not RULES[outcome.kind].unknown and not doubt:
        yield Voided(key)
