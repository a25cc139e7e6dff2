"""What a driver's error means for the store, in one line that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from daemon.domain.codec import Unstorable
from daemon.ports import StoreError, StoreUnavailable

_SQLITE: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_BUSY: "the database is locked by another process; it is tried again",
    sqlite3.SQLITE_LOCKED: "the database is locked by another process; it is tried again",
    sqlite3.SQLITE_READONLY: "the database is read-only: check the permissions and mount of its file and folder",
    sqlite3.SQLITE_FULL: "the disk is full: free some space",
    sqlite3.SQLITE_IOERR: "the disk refused to read or write: check free space, quota and the system log",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened: check that its file exists and may be read and written",
    sqlite3.SQLITE_PERM: "the database may not be opened: check the permissions of its file",
    sqlite3.SQLITE_CORRUPT: "the database file is damaged: restore it from a backup",
    sqlite3.SQLITE_NOTADB: "the file is not a SQLite database: check the configured path, or restore it from a backup",
}
_POSTGRES: Final[Mapping[str, str]] = {
    "53": "the database server has run out of disk, memory or connections",
    "25": "the database is read-only: it may be a standby",
    "55": "the database is locked by another session; it is tried again",
    "57": "the database server is shutting down or stopped the statement; it is tried again",
    "40": "two transactions were in each other's way; it is tried again",
    "08": "the database server cannot be reached",
}
"""By class of SQLSTATE, its first two characters."""


@contextmanager
def told() -> Iterator[None]:
    """Errors of the driver come out as StoreError or StoreUnavailable."""
    try:
        yield
    except DBAPIError as error:
        raise translated(error) from error
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"the database does not answer: {_line(error)}") from error
    except sqlite3.Error as error:
        raise _sqlite(error) from error
    except Unstorable as error:
        raise StoreError(str(error)) from error


def translated(error: DBAPIError) -> StoreError:
    if isinstance(error.orig, sqlite3.Error):
        return _sqlite(error.orig)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        return StoreUnavailable(f"the database server cannot be reached: {_line(error.orig)}")
    meaning = _POSTGRES.get(state[:2])
    return StoreUnavailable(f"{meaning} ({_line(error.orig)})") if meaning else StoreError(_line(error.orig))


def _sqlite(error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    meaning = _SQLITE.get(code & 0xFF)
    return StoreUnavailable(f"{meaning} ({error})") if meaning else StoreError(f"the database refused: {error}")


def _line(error: BaseException | None) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
