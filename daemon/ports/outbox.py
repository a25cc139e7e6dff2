"""What lies in the local outbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Posted:
    """One message in the local outbox: a folder named by its effect key."""

    key: str
    at: datetime
    channel: str
    text: str
    files: tuple[str, ...] = ()


class OutboxReader(Protocol):
    """What lies in the local outbox."""

    def newest(self, limit: int = 50) -> list[Posted]: ...

    def file(self, key: str, name: str) -> bytes:
        """`index.html`, `message.json`, or `files/NAME`. Raises KeyError."""
        ...
