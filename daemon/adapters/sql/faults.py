"""What a driver's error means for the store, in one line that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

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
def told(driver: type[Exception]) -> Iterator[None]:
    """Errors come out as StoreError or StoreUnavailable; `driver` is the driver's own class of them."""
    try:
        yield
    except driver as error:
        raise meaning(error) from error
    except DBAPIError as error:
        raise meaning(error.orig or error) from error
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"the database does not answer: {_line(error)}") from error


def meaning(error: BaseException) -> StoreError:
    """A driver's error as ours."""
    if isinstance(error, sqlite3.Error):
        return _sqlite(error)
    state = getattr(error, "sqlstate", None)
    if state is None:
        return StoreUnavailable(f"the database server cannot be reached: {_line(error)}")
    cause = _POSTGRES.get(state[:2])
    return StoreUnavailable(f"{cause} ({_line(error)})") if cause else StoreError(_line(error))


def _sqlite(error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    cause = _SQLITE.get(code & 0xFF)
    return StoreUnavailable(f"{cause} ({error})") if cause else StoreError(f"the database refused: {error}")


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
