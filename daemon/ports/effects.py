"""What is known of the effects that tools were meant to cause."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from ..domain.model import Json


class EffectState(StrEnum):
    INTENT = "intent"
    DELIVERED = "delivered"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class EffectRow:
    """What is known of one effect key: who meant to cause it, until when, and the receipt if it happened."""

    key: str
    state: EffectState
    run: str
    step: str
    attempt: int
    deadline: datetime
    output: Json = None
    summary: str = ""


class Journal(Protocol):
    """Beside the store, which effects were about to be caused: a store that was put back knows less than it."""

    def note(self, intent: EffectRow) -> None:
        """Before anything is sent. Raises StoreUnavailable."""
        ...

    def entries(self) -> list[EffectRow]:
        """The newest for each key."""
        ...
