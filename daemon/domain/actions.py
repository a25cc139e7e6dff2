"""What may happen next, as values: the answers of `next_action`, and the options that a person is given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from .model import Failed, Letter, Purpose, RunState

RETRY, SKIP, ABORT = "retry", "skip", "abort"
APPROVE, REJECT, DELIVERED = "approve", "reject", "delivered"


@dataclass(frozen=True, slots=True)
class Begin:
    """The run starts."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A decider is to choose among `allowed`; `rule` is what the rule would choose, and why."""

    step: str
    allowed: tuple[Letter, ...]
    rule: Letter
    reason: str


@dataclass(frozen=True, slots=True)
class StartAttempt:
    step: str
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class BackOff:
    step: str
    until: datetime


@dataclass(frozen=True, slots=True)
class GoOn:
    """The source of a step is waited for no longer."""

    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Escalate:
    """A person is to choose among `options`."""

    step: str
    question: str
    options: tuple[str, ...]
    default: str = ABORT


@dataclass(frozen=True, slots=True)
class Expire:
    """Nobody answered in time: the question's default holds."""

    escalation: str


@dataclass(frozen=True, slots=True)
class SkipStep:
    step: str
    cause: str


@dataclass(frozen=True, slots=True)
class FailStep:
    step: str
    failure: Failed
    cause: str


@dataclass(frozen=True, slots=True)
class WindDown:
    """A limit of the whole run is reached."""

    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class Finish:
    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do before `until`, or before something arrives (None)."""

    until: datetime | None = None


Action: TypeAlias = (
    Begin | Ask | StartAttempt | BackOff | GoOn | Escalate | Expire | SkipStep | FailStep | WindDown | Finish | Wait
)
