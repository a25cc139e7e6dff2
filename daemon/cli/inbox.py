"""Leaving a message for a run, and seeing that somebody acts on it."""

from __future__ import annotations

from collections.abc import Callable
from getpass import getuser
from typing import TYPE_CHECKING

from ..domain.model import Json, Run
from ..ports import Message, MessageKind
from ..runtime.loop import LEASE_SECONDS
from .carrying import KILLED_SECONDS, in_time
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon

PATIENCE = 8.0
"""Seconds that a daemon which leads may take to act; it looks every five even where the doorbell is broken."""


def load(daemon: Daemon, run_id: str) -> Run:
    """Raises Misuse for an unknown run."""
    from ..domain.nearest import did_you_mean

    try:
        return daemon.store.load(run_id)
    except KeyError:
        known = [row.id for row in daemon.queries.runs(limit=200)]
        raise Misuse(f"there is no run {run_id!r}", did_you_mean(run_id, known[:3])) from None


def person(name: str | None) -> str:
    """Who asks: the given name, else the user of this machine."""
    try:
        return name or getuser()
    except (OSError, KeyError):  # a user id without a name
        return "someone"


def post(daemon: Daemon, run_id: str, kind: MessageKind, by: str, body: dict[str, Json]) -> None:
    daemon.store.post(Message(run_id, kind, by, daemon.clock.now(), body))
    daemon.doorbell.ring()


def acted_on(daemon: Daemon, run_id: str, done: Callable[[Run], bool]) -> bool:
    """Whether `done` holds in the end: a daemon that leads acts by itself; where none does, this process does."""
    leads = daemon.store.lead(daemon.owner, LEASE_SECONDS) is not None
    if leads:
        daemon.executor.drive(run_id)
        daemon.executor.wait(run_id, KILLED_SECONDS)
    return in_time(0.0 if leads else PATIENCE, lambda: done(daemon.store.load(run_id)))
