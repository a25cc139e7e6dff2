"""Who asks on the command line, and seeing that somebody acts on it."""

from __future__ import annotations

from collections.abc import Callable
from getpass import getuser
from socket import gethostname
from typing import TYPE_CHECKING

from ..domain.deed import Actor
from ..domain.model import Run
from ..runtime.loop import LEASE_SECONDS
from .carrying import KILLED_SECONDS, in_time

if TYPE_CHECKING:
    from ..app import Daemon

PATIENCE = 8.0
"""Seconds that a daemon which leads may take to act; it looks every five even where the doorbell is broken."""


def person(name: str | None) -> str:
    """Who asks: the given name, else the user of this machine."""
    try:
        return name or getuser()
    except (OSError, KeyError):  # a user id without a name
        return "someone"


def actor(name: str | None = None) -> Actor:
    return Actor(person(name), f"cli {gethostname()}")


def acted_on(daemon: Daemon, run_id: str, done: Callable[[Run], bool]) -> bool:
    """Whether `done` holds in the end: a daemon that leads acts by itself; where none does, this process does."""
    leads = daemon.store.lead(daemon.owner, LEASE_SECONDS) is not None
    if leads:
        daemon.executor.drive(run_id)
        daemon.executor.wait(run_id, KILLED_SECONDS)
    return in_time(0.0 if leads else PATIENCE, lambda: done(daemon.store.load(run_id)))
