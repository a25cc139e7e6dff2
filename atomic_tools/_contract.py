"""What a tool is: typed input, typed output, one function, and how it may fail.

Nothing here knows the daemon. A tool file can be read, run and tested with this module alone.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field

SUMMARY_LIMIT = 200


class Effect(StrEnum):
    """What a tool does to the world, and so what a crash allows the daemon to repeat."""

    NONE = "none"
    IDEMPOTENT = "idempotent"
    EXTERNAL = "external"


class ToolInput(BaseModel):
    """Base of every tool's `Input`: frozen, and an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ToolOutput(BaseModel):
    """Base of every tool's `Output`: frozen, JSON all the way down, and able to say itself in one line."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def summary(self) -> str:
        """One deterministic line of at most 200 characters: what a decider gets to see of this output."""
        raise NotImplementedError


class Artifact(BaseModel):
    """A file that a step made. The bytes travel by reference; `sha256` names them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^\w[\w.-]*$", max_length=121)  # a counted repetition of \w takes 10 MB to compile
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)
    media_type: str = "application/octet-stream"


class ToolError(Exception):
    """A failure that the tool understands. `hint` says what a person could do about it."""

    kind: ClassVar[str] = "crashed"

    def __init__(self, message: str, *, hint: str | None = None, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry_after = retry_after


class TransientError(ToolError):
    """Trying again may help: a lock, the network, a 5xx, a rate limit (then with `retry_after`)."""

    kind = "transient"


class BadDataError(ToolError):
    """Format or content is not as expected; a declared repair may help, a plain retry will not."""

    kind = "bad_data"


class DeniedError(ToolError):
    """Credentials or permissions; never retried."""

    kind = "denied"


class MisconfiguredError(ToolError):
    """An unknown table, column, channel or option; never retried."""

    kind = "misconfigured"


class InvalidInputError(ToolError):
    """The input cannot be right, and only its combination with the world shows it."""

    kind = "invalid_input"


class UnknownOutcomeError(ToolError):
    """An external effect may or may not have happened; the receiver must be asked."""

    kind = "unknown_outcome"


@dataclass(frozen=True, slots=True)
class Found:
    """The receiver has the effect; `output` is what the tool would have returned."""

    output: ToolOutput


@dataclass(frozen=True, slots=True)
class Partial:
    """The receiver has some parts of the effect, named by the tool; the next attempt sends what is missing."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """The receiver was asked completely and does not have the effect."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The receiver's answer proves nothing. One that cannot be reached just now is a TransientError instead."""

    reason: str


Reconciled = Found | Partial | NotFound | CannotTell


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one call may use beside its input.

    `workdir` is the call's own folder; `deadline` is the aware UTC instant after which nothing may be sent;
    `secrets` holds only the declared ones. `parts` names what the receiver already has of this effect: only the rest
    is sent. `outbox` is the local folder for what must not reach the world, which in a `dry_run` is everything.
    """

    workdir: Path
    deadline: datetime
    effect_key: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    parts: tuple[str, ...] = ()
    outbox: Path | None = None
    dry_run: bool = False
    expires: float | None = None
    """The deadline on the clock that no step of the wall clock moves (CLOCK_BOOTTIME, seconds)."""
    since: datetime | None = None
    """For a reconcile: when the attempt in doubt began, which may be long ago; None where that is not known."""

    def late(self) -> float:
        """Seconds past the deadline, by the clock that says more; negative while something may still be sent."""
        late = (datetime.now(UTC) - self.deadline).total_seconds()
        boot = time.clock_gettime(time.CLOCK_BOOTTIME)
        return late if self.expires is None else max(late, boot - self.expires)

    def save(self, name: str, content: bytes, media_type: str = "application/octet-stream") -> Artifact:
        """Keep `content` as an artifact of this call."""
        path = self.new_file(name)
        path.write_bytes(content)
        return self.keep(path, media_type)

    def new_file(self, name: str) -> Path:
        """A path for a large artifact that the tool writes itself; pass it to `keep` when it is whole."""
        folder = self.workdir / "out"
        folder.mkdir(exist_ok=True)
        return folder / name

    def keep(self, path: Path, media_type: str = "application/octet-stream") -> Artifact:
        """Turn a finished file made through `new_file` into an artifact."""
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return Artifact(name=path.name, sha256=digest, size=path.stat().st_size, media_type=media_type)

    def path(self, artifact: Artifact) -> Path:
        """Where the bytes of an artifact that came in with the input can be read (read only)."""
        return self.workdir / "in" / artifact.sha256


@dataclass(frozen=True, slots=True)
class Tool:
    """A checked tool: what `@tool` leaves in the module under the module's own name."""

    name: str
    description: str
    function: Callable[..., ToolOutput]
    input_type: type[ToolInput]
    output_type: type[ToolOutput]
    effect: Effect
    timeout: timedelta
    reconcile: Callable[..., Reconciled] | None
    secrets: tuple[str, ...]
    optional_secrets: tuple[str, ...]
    destination: tuple[str, ...]
    version: str
    pace: timedelta = timedelta(0)

    def __call__(self, request: ToolInput, context: ToolContext) -> ToolOutput:
        """Run the tool's function as it stands, without the sandbox: for its own unit test."""
        return self.function(request, context)


class ToolContractError(TypeError):
    """The module is not a tool; the message says which part of the contract it breaks."""


def tool(  # noqa: PLR0913 - a contract has that many terms
    *,
    effect: Literal["none", "idempotent", "external"] | Effect = Effect.NONE,
    timeout: timedelta = timedelta(seconds=60),
    reconcile: Callable[..., Reconciled] | None = None,
    secrets: tuple[str, ...] = (),
    optional_secrets: tuple[str, ...] = (),
    destination: tuple[str, ...] = (),
    version: str = "1",
    pace: timedelta = timedelta(0),
) -> Callable[[Callable[..., ToolOutput]], Tool]:
    """Declare the module's function as an atomic tool.

    `secrets` are what it cannot work without, `optional_secrets` what it can; `destination` names the input fields
    that say where an external effect lands, and `pace` is the least time between two calls to one of these, for which
    runs wait their turn; `version` rises when equal schemas hide a change that a half-finished run
    must not meet. Raises ToolContractError.
    """

    def declare(function: Callable[..., ToolOutput]) -> Tool:
        input_type, output_type = _types(function)
        if Effect(effect) is Effect.EXTERNAL and reconcile is None:
            raise ToolContractError(
                f"{function.__name__} is external but declares no reconcile: after a crash nobody could ask "
                "the receiver whether the effect happened. Pass reconcile=..., or declare effect='idempotent'."
            )
        return Tool(
            name=function.__module__.rpartition(".")[2],
            description=_description(function),
            function=function,
            input_type=input_type,
            output_type=output_type,
            effect=Effect(effect),
            timeout=timeout,
            reconcile=reconcile,
            secrets=(*secrets, *optional_secrets),
            optional_secrets=optional_secrets,
            destination=destination,
            version=version,
            pace=pace,
        )

    return declare


def _types(function: Callable[..., ToolOutput]) -> tuple[type[ToolInput], type[ToolOutput]]:
    hints = get_type_hints(function)
    returned = hints.pop("return", None)
    parameters = list(hints.values())
    if len(parameters) != 2 or parameters[1] is not ToolContext:
        raise ToolContractError(f"{function.__name__} must take (request: Input, context: ToolContext)")
    if not (isinstance(parameters[0], type) and issubclass(parameters[0], ToolInput)):
        raise ToolContractError(f"{function.__name__}: the first parameter must be a subclass of ToolInput")
    if not (isinstance(returned, type) and issubclass(returned, ToolOutput)):
        raise ToolContractError(f"{function.__name__} must return a subclass of ToolOutput")
    if returned.summary is ToolOutput.summary:
        raise ToolContractError(f"{returned.__name__} needs a summary() of its own: one line for the decider")
    return parameters[0], returned


def _description(function: Callable[..., ToolOutput]) -> str:
    text = (sys.modules[function.__module__].__doc__ or function.__doc__ or "").strip()
    if not text:
        raise ToolContractError(f"{function.__name__} needs a docstring: it is the tool's description")
    return " ".join(text.split("\n\n")[0].split())
