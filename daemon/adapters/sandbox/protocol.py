"""What the supervisor and a worker say to each other: plain values that survive JSON unchanged."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

Mode = Literal["run", "reconcile"]
Verdict = Literal["found", "partial", "not_found", "cannot_tell"]

TAIL_BYTES = 4096
GRACE = 0.2
"""Seconds between SIGTERM at the deadline and SIGKILL."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use, in bytes but for `open_files`. `memory` is what it may add to a fresh worker."""

    memory: int = 1 << 30
    open_files: int = 256
    output: int = 1 << 20
    file_size: int = 4 << 30


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one tool.

    `deadline` is the aware UTC instant that the tool sees, `expires` the same as CLOCK_BOOTTIME; `timeout` the
    seconds that the supervisor grants from the moment a worker takes the call. With `digest` the worker refuses any
    other code.
    """

    call_id: str
    tool: str
    mode: Mode
    input: dict[str, Any]
    workdir: str
    deadline: datetime
    timeout: float
    effect_key: str | None = None
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    limits: Limits = Limits()
    digest: str | None = None
    parts: tuple[str, ...] = ()
    outbox: str | None = None
    dry_run: bool = False
    expires: float | None = None
    since: str | None = None
    """ISO 8601: a question is about an effect that cannot have happened earlier."""

    def to_json(self) -> dict[str, Any]:
        """The call as JSON data."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return data | {"deadline": self.deadline.isoformat(), "limits": asdict(self.limits)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ToolCall:
        """The call again; raises TypeError or ValueError when it is none."""
        deadline = datetime.fromisoformat(data["deadline"])
        return cls(**data | {"deadline": deadline, "limits": Limits(**data["limits"]), "parts": tuple(data["parts"])})


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """A file that the tool left in `<workdir>/out/<name>`, as its output names it."""

    name: str
    sha256: str
    size: int
    media_type: str


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The output, valid and equal after a round trip through JSON."""

    output: dict[str, Any]
    summary: str
    artifacts: tuple[ArtifactRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no output. `retry_after` in seconds.

    `kind` is one of the contract's, or timeout, crashed, invalid_input, invalid_output, interrupted.
    """

    kind: str
    message: str
    hint: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What the receiver says about an external effect; `output` and `summary` with `found` only."""

    verdict: Verdict
    output: dict[str, Any] | None = None
    summary: str | None = None
    parts: tuple[str, ...] = ()
    reason: str | None = None


Outcome = Succeeded | Failed | Reconciled


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one end of a call: its outcome, the last 4 KB it printed, and how long which process took."""

    call_id: str
    outcome: Outcome
    tail: str
    seconds: float
    pid: int | None


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON data, tagged with its type."""
    return {"type": type(outcome).__name__} | asdict(outcome)


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """The outcome again; raises KeyError, TypeError or ValueError when it is none."""
    fields = {key: value for key, value in data.items() if key != "type"}
    match data["type"]:
        case "Succeeded":
            artifacts = tuple(ArtifactRef(**ref) for ref in fields["artifacts"])
            return Succeeded(**fields | {"artifacts": artifacts})
        case "Failed":
            return Failed(**fields)
        case "Reconciled":
            return Reconciled(**fields | {"parts": tuple(fields["parts"])})
    raise ValueError(f"unknown outcome {data['type']!r}")
