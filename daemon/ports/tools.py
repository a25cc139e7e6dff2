"""One call of a tool, and whoever runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..domain.model import Failed, Json, Purpose, Reconciled, Succeeded


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt as the sandbox sees it. `deadline` is wall time for the tool; `seconds` is what is enforced.

    `expires` is the deadline on the boot clock, which no step of the wall clock moves. A question to a receiver says
    since when the effect may have happened.
    """

    id: str
    tool: str
    purpose: Purpose
    input: Json
    workdir: Path
    deadline: datetime
    seconds: float
    effect_key: str | None = None
    parts: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    outbox: Path | None = None
    dry_run: bool = False
    expires: float | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call came out, with the last of what the tool printed."""

    outcome: Succeeded | Failed | Reconciled
    tail: str = ""


class Running(Protocol):
    def kill(self) -> None:
        """End the call at once; it then comes out as `interrupted`."""
        ...


class ToolRunner(Protocol):
    """Runs one call in isolation and reports exactly once, from any thread."""

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running: ...

    def close(self) -> None: ...
