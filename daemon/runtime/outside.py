"""The ports that carrying a run takes, as one value that the composition root makes once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..domain.tool import ToolSpec
from ..ports import Artifacts, Clock, Decider, EventSink, Journal, Store, ToolRunner
from .pacer import Pacer
from .rules import Rules


@dataclass(slots=True)
class Fence:
    """The epoch of the lease under which this process claims and fires; 0 where it needs no lease."""

    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Outside:
    """`owner` names this incarnation of the daemon; `secret` reads a configured secret when it is needed."""

    owner: str
    clock: Clock
    store: Store
    runner: ToolRunner
    decider: Decider
    artifacts: Artifacts
    sink: EventSink
    secret: Callable[[str], str]
    outbox: Path | None = None
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    """The tools as they are now; a run that was planned with others is checked against them. Empty for no check."""
    fence: Fence = field(default_factory=Fence)
    journal: Journal | None = None
    rules: Rules = Rules()
    pacer: Pacer = field(default_factory=Pacer)
