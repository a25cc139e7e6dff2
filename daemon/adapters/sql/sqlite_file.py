"""The database file of SQLite: private, on a disk of this machine, and still the same file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final

from daemon.ports import StoreUnavailable

# fmt: off
NETWORK: Final = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.glusterfs", "fuse.gcsfuse",
        "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "smb2",
        "smb3", "smbfs",
    }
)
# fmt: on
"""File systems on which two hosts do not share memory, so that SQLite's write-ahead log would lose data."""

_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # A checkpoint costs two flushes: one per 4,000 pages (16 MB) instead of the default 1,000.
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA journal_size_limit = 67108864",
)


class SqliteFile:
    """`identity` tells whether the file that was opened is still the one at its path."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self.path = path
        self._busy_seconds = busy_seconds

    def prepare(self) -> None:
        """Make the file if there is none, readable by its owner only. Raises StoreUnavailable."""
        refuse_network(self.path, Path("/proc/self/mounts"))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o600))
            if self.path.stat().st_mode & 0o077:
                self.path.chmod(0o600)
        except OSError as error:
            raise StoreUnavailable(
                f"cannot use {self.path} as database: {error.strerror}; check the folder's permissions"
            ) from error

    def connect(self) -> sqlite3.Connection:
        """A connection to the existing file; it never makes one."""
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        # Damaged text comes out as text that the codec refuses, and does not break the query for its neighbours.
        connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        return connection

    def identity(self) -> tuple[int, int]:
        """Device and inode. Raises StoreUnavailable where there is no file any more."""
        try:
            found = os.stat(self.path)  # noqa: PTH116 - once a commit, and pathlib costs three times as much
        except OSError as error:
            raise StoreUnavailable(
                f"the database file {self.path} has gone: put it back from a backup, or restart to begin anew"
            ) from error
        return found.st_dev, found.st_ino


def refuse_network(path: Path, mounts: Path) -> None:
    kind = file_system(path.absolute(), mounts)
    if kind in NETWORK:
        raise StoreUnavailable(
            f"{path} lies on a network file system ({kind}), where SQLite loses data: "
            "choose a state folder on a local disk, or use PostgreSQL"
        )


def file_system(path: Path, mounts: Path) -> str | None:
    """The type of the file system that holds the path, from a table like /proc/self/mounts."""
    real = Path(os.path.realpath(path))
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return None
    return max(_holding(real, lines), default=(0, None))[1]


def _holding(path: Path, lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        folder = Path(point.encode().decode("unicode_escape"))
        if path.is_relative_to(folder):
            yield len(folder.parts), kind
