"""The store and the folders beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ...config import Settings
from ...domain.checkup import Finding, fail, ok, warn
from ...ports import StoreError

LEAST_FREE = 200 * 1024**2
LITTLE_FREE = 2 * 1024**3


def store(settings: Settings) -> Iterator[Finding]:
    from sqlalchemy import make_url

    yield from _folder(settings.state)
    if "postgresql" in settings.store.partition(":")[0]:
        yield from _server(settings.store)
        return
    path = Path(str(make_url(settings.store).database)) if "://" in settings.store else Path(settings.store)
    yield from _file(path)


def _folder(state: Path) -> Iterator[Finding]:
    place = next(folder for folder in (state, *state.parents) if folder.exists())
    if not os.access(place, os.W_OK | os.X_OK):
        yield fail("store", f"{place} cannot be written by this account", f"chown it to the daemon's account: {place}")
        return
    free = shutil.disk_usage(place).free
    told = f"{free / 1024**3:.1f} GiB free at {state}"
    if free < LITTLE_FREE:
        yield (fail if free < LEAST_FREE else warn)("store", told, "free some space, or shorten retention")
    else:
        yield ok("store", told)
    if state.exists() and state.stat().st_mode & 0o007:
        yield warn("store", f"others may look into {state}", f"chmod 700 {state}")


def _file(path: Path) -> Iterator[Finding]:
    from ...adapters.sql.sqlite_file import NETWORK, file_system

    kind = file_system(path.absolute(), Path("/proc/self/mounts")) or "unknown"
    if kind in NETWORK:
        yield fail("store", f"{path} lies on a network file system ({kind})", "use a local disk, or PostgreSQL")
    elif kind in {"tmpfs", "ramfs"}:
        yield warn("store", f"{path} lies in memory ({kind})", "a restart of the machine loses everything: use a disk")
    else:
        yield ok("store", f"file system {kind}")
    if not path.exists():
        yield ok("store", f"{path} is made at the first start")
        return
    yield from _content(path)


def _content(path: Path) -> Iterator[Finding]:
    from ...adapters.sql.backup import RESTORED
    from ...adapters.sql.migrations import REVISIONS

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            [[verdict]] = connection.execute("PRAGMA quick_check(1)").fetchall()
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            mark = connection.execute("SELECT owner FROM leases WHERE name = ?", (RESTORED,)).fetchone()
    except sqlite3.Error as error:
        yield fail("store", f"{path}: {error}", "restore a backup: clockwright restore BACKUP")
        return
    if verdict != "ok":
        yield fail("store", f"{path} is damaged: {verdict}", "restore a backup: clockwright restore BACKUP")
    if mark:
        yield ok("store", f"it was put back from a backup of {mark[0]}")
    revision = row[0] if row else "(none)"
    if revision not in REVISIONS:
        yield fail("store", f"revision {revision} is not known here", "upgrade Clockwright, or restore an older backup")
    elif revision != REVISIONS[-1]:
        yield warn("store", f"revision {revision}", f"the next start brings it to {REVISIONS[-1]}: make a backup first")
    elif verdict == "ok":
        yield ok("store", f"{path} is whole, revision {revision}")


def _server(address: str) -> Iterator[Finding]:
    from sqlalchemy import make_url

    from ...adapters.sql.opening import open_database

    shown = make_url(address).render_as_string(hide_password=True)
    try:
        open_database(address).close()
    except (StoreError, ImportError) as error:
        yield fail("store", f"{shown}: {error}", "check the address, the server and the account's rights")
    else:
        yield ok("store", f"{shown} answers and is of this version")


def outbox(settings: Settings) -> Iterator[Finding]:
    """Where messages go that no receiver is configured for."""
    place = next(folder for folder in (settings.outbox, *settings.outbox.parents) if folder.exists())
    if not os.access(place, os.W_OK | os.X_OK):
        text = f"the outbox {settings.outbox} cannot be written"
        yield fail("outbox", text, f"chown it to the daemon's account: {place}")
    else:
        yield ok("outbox", f"{settings.outbox} can be written")
