"""What can happen to a run. Folding these is the only way in which a run changes; observers read the same values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from .model import Attempt, Decision, Escalation, Failed, Json, Outcome, Reconciled, RunState


@dataclass(frozen=True, slots=True)
class RunStarted:
    at: datetime


@dataclass(frozen=True, slots=True)
class RunClaimed:
    """A driver took the run over; what was in flight under the earlier epoch is interrupted."""

    at: datetime
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    at: datetime
    step: str
    attempt: Attempt
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """`tail` is the last of what the tool printed."""

    at: datetime
    step: str
    number: int
    outcome: Outcome | Reconciled
    tail: str = ""


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The step backs off; `until` is stored, so a restart neither shortens nor lengthens the wait."""

    at: datetime
    step: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Paced:
    """The step's destination takes one call at a time, and others come first; the wait is stored like a back-off."""

    at: datetime
    step: str
    until: datetime


@dataclass(frozen=True, slots=True)
class GateOpened:
    """The source was not complete in time; the step goes on without waiting any longer."""

    at: datetime
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class EffectAdopted:
    """The effect with this key was delivered before; its receipt is the step's output and nothing is sent."""

    at: datetime
    step: str
    key: str
    output: Json
    summary: str


@dataclass(frozen=True, slots=True)
class Decided:
    at: datetime
    step: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Escalated:
    at: datetime
    escalation: Escalation


@dataclass(frozen=True, slots=True)
class Answered:
    """A person chose an option, or nobody did in time and `by` is `expiry`."""

    at: datetime
    escalation: str
    option: str
    by: str
    changes: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepSkipped:
    at: datetime
    step: str
    cause: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """The step has failed for good."""

    at: datetime
    step: str
    failure: Failed
    cause: str


@dataclass(frozen=True, slots=True)
class RunEnding:
    """The run was cancelled, aborted or ran out of a budget; it ends once everything in flight is settled."""

    at: datetime
    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    at: datetime
    state: RunState
    reason: str


Event: TypeAlias = (
    RunStarted
    | RunClaimed
    | AttemptStarted
    | AttemptEnded
    | RetryScheduled
    | Paced
    | GateOpened
    | EffectAdopted
    | Decided
    | Escalated
    | Answered
    | StepSkipped
    | StepFailed
    | RunEnding
    | RunEnded
)
