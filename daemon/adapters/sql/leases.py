"""The one lease of a store: who may fire and claim. Its epoch rises whenever it changes hands."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from sqlalchemy import Connection, Integer, Row, cast, func, select, update

from daemon.ports import Stale

from .schema import LEASES

NAME: Final = "leader"
_FREE: Final = {"owner": "", "boot_id": "", "pid": 0, "pid_started": 0, "expires": 0.0}


@dataclass(frozen=True, slots=True)
class Host:
    """This process as others on this machine can tell it, and the clock that they share (seconds, counts suspend).

    `place` names the boot and the process namespace; `started` is when the process of a pid began, or None where
    there is no such process.
    """

    place: str
    pid: int
    clock: Callable[[], float]
    started: Callable[[int], int | None]


class Lease(Protocol):
    """`take` gives the epoch, or None while another live owner holds the lease."""

    def take(self, connection: Connection, owner: str, seconds: float) -> int | None: ...


class LocalLease:
    """For SQLite, which has no clock: every owner is on this machine, so its clock and its processes are known."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def take(self, connection: Connection, owner: str, seconds: float) -> int | None:
        held = connection.execute(select(LEASES).where(LEASES.c.name == NAME)).one_or_none()
        mine = self._held_by(owner, seconds)
        if held is None:
            connection.execute(LEASES.insert().values(name=NAME, epoch=1, **mine))
            return 1
        if held.owner != owner and self._alive(held):
            return None
        epoch = int(held.epoch) + int(held.owner != owner)
        connection.execute(update(LEASES).where(LEASES.c.name == NAME).values(epoch=epoch, **mine))
        return epoch

    def _held_by(self, owner: str, seconds: float) -> dict[str, Any]:
        host = self._host
        return {
            "owner": owner,
            "boot_id": host.place,
            "pid": host.pid,
            "pid_started": host.started(host.pid) or 0,
            "expires": host.clock() + seconds,
        }

    def _alive(self, held: Row[Any]) -> bool:
        """Of another boot nobody lives; of another process namespace only the clock tells."""
        host = self._host
        if held.boot_id.partition("/")[0] != host.place.partition("/")[0] or held.expires <= host.clock():
            return False
        return bool(held.boot_id != host.place or host.started(held.pid) == held.pid_started)


class ServerLease:
    """For PostgreSQL, by the server's clock."""

    def take(self, connection: Connection, owner: str, seconds: float) -> int | None:
        now = func.extract("epoch", func.clock_timestamp())
        mine = {**_FREE, "owner": owner, "expires": now + seconds}
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - slow to import, and SQLite is the default

        insert = postgresql.insert(LEASES).values(name=NAME, epoch=1, **mine)
        raised = LEASES.c.epoch + cast(LEASES.c.owner != owner, Integer)
        taken = insert.on_conflict_do_update(
            index_elements=[LEASES.c.name],
            set_={"owner": owner, "expires": now + seconds, "epoch": raised},
            where=(LEASES.c.owner == owner) | (LEASES.c.expires <= now),
        )
        epoch = connection.execute(taken.returning(LEASES.c.epoch)).scalar_one_or_none()
        return None if epoch is None else int(epoch)


def resign(connection: Connection, owner: str) -> None:
    connection.execute(update(LEASES).where(LEASES.c.name == NAME, LEASES.c.owner == owner).values(**_FREE))


def check_fence(connection: Connection, fence: int) -> None:
    """Hold the lease where it is until the transaction ends. Raises Stale where its epoch is not `fence`."""
    if fence > 0:
        held = select(LEASES.c.epoch).where(LEASES.c.name == NAME).with_for_update(read=True)
        epoch = connection.execute(held).scalar_one_or_none()
        if epoch != fence:
            raise Stale(f"the lease has passed from epoch {fence} to {epoch or 0}: another daemon leads")


def this_host() -> Host:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    place = f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    return Host(place, os.getpid(), lambda: time.clock_gettime(time.CLOCK_BOOTTIME), process_started)


def process_started(pid: int) -> int | None:
    """Clock ticks after the boot, which tells a process from a later one with the same pid; None for a dead one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else int(rest[18])
