"""From a URL or a path to an open store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from daemon.ports import StoreError

from .database import Database
from .leases import Host, this_host
from .queries import SqlQueries
from .sqlite import SqliteDatabase
from .sqlite_file import SqliteFile
from .store import SqlStore

BUSY_SECONDS: Final = 5.0


def open_database(address: str | Path, *, busy_seconds: float = BUSY_SECONDS, host: Host | None = None) -> Database:
    """A path or `sqlite:///path`, or `postgresql://…`; the schema is brought up to date. Raises StoreError."""
    url = _url(address)
    if url.get_backend_name() == "postgresql":
        from .postgres import PostgresDatabase  # noqa: PLC0415 - psycopg is an optional extra

        return PostgresDatabase(url)
    if url.get_backend_name() != "sqlite" or url.database in {None, "", ":memory:"}:
        raise StoreError(f"cannot keep state in {url}: give a file path, sqlite:///path or postgresql://host/name")
    return SqliteDatabase(SqliteFile(Path(str(url.database)), busy_seconds), host or this_host())


def open_store(address: str | Path, *, busy_seconds: float = BUSY_SECONDS, host: Host | None = None) -> SqlStore:
    return SqlStore(open_database(address, busy_seconds=busy_seconds, host=host))


def open_queries(address: str | Path) -> SqlQueries:
    return SqlQueries(open_database(address))


def _url(address: str | Path) -> URL:
    if isinstance(address, Path) or "://" not in address:
        return URL.create("sqlite", database=str(address))
    try:
        return make_url(address)
    except ArgumentError as error:
        raise StoreError(f"{address!r} is no database URL: use sqlite:///path or postgresql://host/name") from error
