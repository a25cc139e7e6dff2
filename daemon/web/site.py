"""What the page is given. Everything it shows comes through here, and everything it does goes through `commands`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ..domain.draft import Toolbox
from ..domain.job import Job
from ..domain.redaction import Redactor
from ..ports import Artifacts, Clock, Commands, OutboxReader, Queries
from .live import Live
from .passes import Passes

Answer: TypeAlias = tuple[int, Mapping[str, str], bytes]
"""Status, headers, body."""
Interactions: TypeAlias = Callable[[Mapping[str, str], bytes], Answer]
"""Slack's interactive requests: headers and raw body in. It verifies Slack's signature itself, and answers at once."""


class Health(Protocol):
    """What liveness is judged by."""

    def stuck(self) -> str:
        """Why the loop makes no progress; empty while it does."""
        ...

    def unready(self) -> str:
        """Why nothing could be done now; empty where it could."""
        ...


@dataclass(frozen=True)
class Site:
    """`jobs` and `tools` give what is in force now; `exposition` the metrics; `redactor` hides today's secrets."""

    queries: Queries
    commands: Commands
    artifacts: Artifacts
    outbox: OutboxReader
    clock: Clock
    jobs: Callable[[], Mapping[str, Job]]
    tools: Callable[[], Toolbox]
    redactor: Callable[[], Redactor]
    exposition: Callable[[], bytes]
    health: Health
    passes: Passes
    live: Live
    trigger_secret: Callable[[], str]
    """Empty: no job can be triggered."""
    open_metrics: bool = False
    slack: Interactions | None = None
