"""What a scripted tool does in one call: come out well or badly, late or never, with or without its effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Json, Reconciled, Succeeded
from daemon.ports import Call

Key: TypeAlias = str | tuple[str, int]


@dataclass(frozen=True, slots=True)
class Play:
    """`outcome` comes after `seconds`; None hangs until it is killed or its time is up.

    An external effect reaches the receiver `sends` seconds after the start: `parts` of it, or all. `repeats` tells
    the outcome twice.
    """

    outcome: Succeeded | Failed | Reconciled | None
    seconds: float = 0.1
    sends: float | None = None
    parts: int | None = None
    repeats: bool = False


def succeed(output: Json = None, *, seconds: float = 0.1, summary: str = "done") -> Play:
    """It works; an external tool has sent everything just before."""
    return Play(Succeeded({} if output is None else output, summary), seconds, sends=seconds)


def fail(kind: Kind, message: str = "it does not work", *, seconds: float = 0.1, after: float | None = None) -> Play:
    """It fails with `kind`, and asks for `after` seconds of patience where that is given. Nothing was sent."""
    return Play(Failed(kind, message, retry_after=after), seconds)


def hang() -> Play:
    return Play(None)


def lose_answer(kind: Kind = Kind.TIMEOUT, *, seconds: float = 0.1, parts: int | None = None) -> Play:
    """The effect, or the first `parts` of it, arrives; the answer does not."""
    return Play(Failed(kind, "the answer was lost"), seconds, sends=seconds / 2, parts=parts)


@dataclass(frozen=True, slots=True)
class Script:
    """Plays by (step or tool, number of the attempt), by step, or by tool; `otherwise` for everything else."""

    plays: Mapping[Key, Play] = field(default_factory=dict)
    otherwise: Play = succeed()

    def __call__(self, call: Call) -> Play:
        _, step, number = call.id.rsplit(".", 2)
        keys: tuple[Key, ...] = ((step, int(number)), (call.tool, int(number)), step, call.tool)
        return next((self.plays[key] for key in keys if key in self.plays), self.otherwise)
