"""A copy of a SQLite store while it is at work, and the mark that a store which was put back carries."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, delete, select, update

from daemon.ports import StoreError, StoreUnavailable

from .database import Database
from .leases import NAME
from .migrations import REVISIONS
from .schema import LEASES

T = TypeVar("T")

RESTORED: Final = "restored"
"""Name of the row among the leases that says that this store was put back: `owner` is the time of the backup (ISO
8601), `expires` that of the restore (seconds since 1970). What was delivered in between is not in the store."""


def copy(source: Path, target: Path) -> None:
    """One consistent moment, whatever is written meanwhile; nobody waits for it. Raises StoreUnavailable."""
    _told(source, lambda: _copy(source, target))


def verify(path: Path) -> str:
    """The copy's revision. Raises StoreError where it is damaged, or of a version that is not known here."""
    found = _told(path, lambda: _examined(path))
    if found not in REVISIONS:
        raise StoreError(f"{path} is of revision {found or '(none)'}, which this version does not know")
    return found


def mark_restored(database: Database, taken_at: datetime, now: datetime) -> None:
    """Say in the store that it was put back, and fence off whoever still holds its lease. Durable on return."""

    def work(connection: Connection) -> None:
        connection.execute(delete(LEASES).where(LEASES.c.name == RESTORED))
        connection.execute(
            LEASES.insert().values(
                name=RESTORED,
                owner=taken_at.isoformat(),
                epoch=1,
                boot_id="",
                pid=0,
                pid_started=0,
                expires=now.timestamp(),
            )
        )
        raised = {"epoch": LEASES.c.epoch + 1, "owner": "", "expires": 0.0}
        connection.execute(update(LEASES).where(LEASES.c.name == NAME).values(raised))

    database.write(work)


def restored_from(connection: Connection) -> datetime | None:
    """When the backup was taken that this store was put back from; None where it never was."""
    found = connection.execute(select(LEASES.c.owner).where(LEASES.c.name == RESTORED)).scalar_one_or_none()
    return None if found is None else datetime.fromisoformat(found)


def _copy(source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_EXCL | os.O_CLOEXEC, 0o600))
    reading = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    writing = sqlite3.connect(target)
    try:
        reading.backup(writing)
        writing.execute("PRAGMA journal_mode = DELETE")
    finally:
        writing.close()
        reading.close()
    with target.open("rb+") as stream:
        os.fsync(stream.fileno())


def _examined(path: Path) -> str:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        [[verdict]] = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if verdict != "ok":
            raise StoreError(f"{path} is damaged: {verdict}")
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(row[0]) if row else ""
    finally:
        connection.close()


def _told(path: Path, work: Callable[[], T]) -> T:
    try:
        return work()
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(f"{path}: {error}") from error
