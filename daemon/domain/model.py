"""The nouns of a run. All frozen; instants are aware UTC; identifiers are plain strings; output is plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias

from .errors import Kind

Json: TypeAlias = Any
"""What `json.loads` returns; NaN and infinity never get in."""

Day: TypeAlias = date
"""A calendar day. `DataDate` has a field named `date`, which would hide the type from whoever reads annotations."""


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCEEDED = "succeeded"
    DEGRADED = "degraded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in ENDED


ENDED = frozenset({RunState.SUCCEEDED, RunState.DEGRADED, RunState.FAILED, RunState.CANCELLED})


class StepState(StrEnum):
    PENDING = "pending"
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def ended(self) -> bool:
        return self in {StepState.DONE, StepState.FAILED, StepState.SKIPPED}


RUN_MOVES: Mapping[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset({RunState.RUNNING}) | ENDED,
    RunState.RUNNING: frozenset({RunState.WAITING}) | ENDED,
    RunState.WAITING: frozenset({RunState.RUNNING}) | ENDED,
    **{state: frozenset() for state in ENDED},
}
STEP_MOVES: Mapping[StepState, frozenset[StepState]] = {
    StepState.PENDING: frozenset({StepState.READY, StepState.SKIPPED}),
    StepState.READY: frozenset({StepState.RUNNING, StepState.SKIPPED}),
    StepState.RUNNING: frozenset({StepState.DONE, StepState.FAILED, StepState.SKIPPED}),
    StepState.DONE: frozenset(),
    StepState.FAILED: frozenset(),
    StepState.SKIPPED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Succeeded:
    """`output` is inline JSON, or `{"$spilled": sha256}` where it was too large for the state."""

    output: Json
    summary: str
    artifacts: tuple[Json, ...] = ()
    notes: tuple[str, ...] = ()
    """What the reader must be told although the step is done (it ran without a weak input)."""


@dataclass(frozen=True, slots=True)
class Failed:
    kind: Kind
    message: str
    hint: str | None = None
    retry_after: float | None = None
    """Seconds, as the other side asked for."""

    @property
    def told(self) -> str:
        return f"{self.kind}: {self.message}" + (f" ({self.hint})" if self.hint else "")


Outcome: TypeAlias = Succeeded | Failed


class Verdict(StrEnum):
    """What the receiver of an external effect says when it is asked."""

    FOUND = "found"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    CANNOT_TELL = "cannot_tell"
    AWAY = "away"
    """It could not be reached, so it has said nothing; whoever asked finds this, the receiver never says it."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The answer to a reconcile attempt; `output` and `summary` come with `found`, `parts` with `partial`."""

    verdict: Verdict
    output: Json = None
    summary: str = ""
    parts: tuple[str, ...] = ()
    reason: str = ""


class Purpose(StrEnum):
    """What an attempt is for: the step's own work, asking a receiver, the step's repair tool, or its source."""

    RUN = "run"
    RECONCILE = "reconcile"
    REPAIR = "repair"
    PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try, in flight. Nothing may be sent after `deadline`."""

    number: int
    purpose: Purpose
    started_at: datetime
    deadline: datetime
    input_digest: str
    effect_key: str | None = None


class Letter(StrEnum):
    """A go on, B retry, C give up."""

    A = "A"
    B = "B"
    C = "C"


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice, and everything needed to replay or judge it. `rule` is what the rule would have chosen.

    `snapshot`, `prompt` and `answer` are digests of artifacts. An empty `cost` is an unknown one.
    """

    letter: Letter
    tool: str
    reason: str
    by: str
    rule: Letter
    input: Mapping[str, Json] = field(default_factory=dict)
    snapshot: str = ""
    prompt: str = ""
    answer: str = ""
    prompt_version: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_estimated: bool = False
    """The endpoint did not count them."""
    cost: str = "0"
    seconds: float = 0.0
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Escalation:
    """A question to a person. `digest` names exactly what is being decided, so an old button cannot decide it."""

    id: str
    step: str | None
    question: str
    options: tuple[str, ...]
    default: str
    asked_at: datetime
    remind_at: datetime
    expires_at: datetime
    digest: str


@dataclass(frozen=True)
class StepRun:
    """Where one step of a run stands.

    A running step is in exactly one place: `attempt` (in flight), `wake_at` (backing off), `escalation` (asked),
    `failure` (to be answered by the policy), or none of them (about to start).
    """

    step: str
    state: StepState = StepState.PENDING
    tries: int = 0
    """Attempts that count against the retry limit."""
    started: int = 0
    """Attempts ever begun; the next one is numbered one higher."""
    crashes: int = 0
    attempt: Attempt | None = None
    failure: Failed | None = None
    wake_at: datetime | None = None
    escalation: str | None = None
    unknown: Attempt | None = None
    """The external attempt whose effect may have happened; it stays until its receiver has been asked."""
    verdict: Verdict | None = None
    """The receiver's last answer."""
    asks: int = 0
    """How often the receiver could not tell."""
    unreached: int = 0
    """How often in a row it could not even be asked."""
    parts: tuple[str, ...] = ()
    cleared: bool = False
    """A decider, or the rule in its place, agreed to the coming attempt."""
    approved: bool = False
    given_up: bool = False
    """A decider chose C."""
    disputed: bool = False
    """It chose C although the rule would have retried, so a person is asked."""
    repaired: bool = False
    grace: int = 0
    """Extra tries that a person granted."""
    last_error: str = ""
    """Digest of the last failure together with the input that caused it."""
    changes: Mapping[str, Json] = field(default_factory=dict)
    """Open inputs that a decider or a person set."""
    output: Json = None
    summary: str = ""
    artifacts: tuple[Json, ...] = ()
    missing: tuple[str, ...] = ()
    """Weak inputs that were not there, each with its cause."""
    cause: str = ""
    """Why it was skipped or failed for good."""
    fresh: bool = False
    """Its source is complete, or is waited for no longer."""
    stale: str = ""
    """What the last probe of its source found wanting; with `fresh`, the step goes on all the same."""
    probed_since: datetime | None = None
    """When its source was first asked."""
    closes: bool = False
    """Its output says that there is nothing to go on with, so the run ends well here."""
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """Whole local days, `first` to `last`, and the instants that bound them, half open."""

    first: Day
    last: Day
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class DataDate:
    """The date a run reports on and the instants that bound it: fixed at birth, never recomputed."""

    day: Day
    """The local day reported on."""
    start: datetime
    end: datetime
    """That day as a half-open interval of instants: 23 to 25 hours on change days."""
    local_date: Day
    """The local day on which the run was due."""
    due_local: str
    """Nominal local time with offset, ISO 8601."""
    timezone: str
    fold: int
    zone_data: str
    """Version of the zone data that resolved it."""
    week: Period | None = None
    """The last whole week, Monday to Sunday, before the local date."""
    month: Period | None = None
    """The last whole month before the local date."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The run is on its way out: nothing new starts, what runs is killed, unknown effects are reconciled."""

    state: RunState
    reason: str


@dataclass(frozen=True)
class Run:
    """One execution of a job: a fixed-size head and one row per step."""

    id: str
    job: str
    instant: datetime
    revision: int
    data: DataDate
    plan: str
    """Digest of the compiled plan that this run follows to its end."""
    queued_at: datetime
    state: RunState = RunState.QUEUED
    cause: str = "schedule"
    dry_run: bool = False
    send: int = 0
    epoch: int = 0
    version: int = 0
    sequence: int = 0
    """Events so far; the next one is numbered one higher."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    active_seconds: float = 0.0
    ending: Ending | None = None
    reason: str = ""
    steps: Mapping[str, StepRun] = field(default_factory=dict)
    escalations: Mapping[str, Escalation] = field(default_factory=dict)
    """The open ones."""
