"""One message on its way: what is delivered, its receipt, and what a destination must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from atomic_tools._contract import Artifact, CannotTell, NotFound, Partial


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a message."""

    artifact: Artifact
    path: Path


@dataclass(frozen=True, slots=True)
class Way:
    """A channel or a thread in it, which the channel shows too (`broadcast`); `instead`: not what was meant."""

    channel: str
    thread: str = ""
    broadcast: bool = False
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message as it is to arrive: its payload, and the picture that the destination adds its own way."""

    key: str
    payload: Mapping[str, Any]
    picture: Attachment | None
    alt_text: str
    documents: Sequence[Attachment]
    further: Sequence[Mapping[str, Any]] = ()
    """What did not fit into the payload, in order, to go below it."""
    words: Mapping[str, Any] | None = None
    """What goes below it where the picture cannot be delivered."""
    simpler: Sequence[Mapping[str, Any]] = ()
    """What to send where the payload is refused, one after the other."""
    whole: Callable[[], Attachment] | None = None
    """Makes the file that goes along with a simpler form."""


class Receipt(BaseModel):
    """Proof of one delivery."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Literal["delivered", "degraded"] = "delivered"
    key: str
    channel: str
    location: str
    """Where a person can look at it: a path or a permalink."""
    stamp: str = ""
    """Slack's own timestamp of the message."""
    parts: tuple[str, ...]
    reason: str = ""
    """What is missing or different, where the delivery is degraded."""


class Destination(Protocol):
    """Something that takes messages, each effect key at most once."""

    def post(self, delivery: Delivery, may_send: Callable[[], None]) -> Receipt:
        """Deliver, or adopt what is there under the key. `may_send` comes last; it raises when too late."""
        ...

    def reconcile(self, key: str) -> Receipt | Partial | NotFound | CannotTell:
        """What the destination has under `key`."""
        ...
