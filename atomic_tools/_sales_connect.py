"""Opens the user's database for reading only, with a statement timeout, and names its faults."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from ._contract import DeniedError, MisconfiguredError
from ._sales_faults import translated

STEPS_BETWEEN_LOOKS = 50_000
LOCK_WAIT_SECONDS = 2.0


@contextmanager
def reading(url: str, seconds: float) -> Iterator[sa.Connection]:
    """A read-only connection in one consistent snapshot, each statement limited to `seconds`.

    Raises TransientError, DeniedError, MisconfiguredError or BadDataError; none of them shows the password.
    """
    engine = _engine(url, seconds)
    try:
        with translated(engine.url, seconds), engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _engine(url: str, seconds: float) -> sa.Engine:
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise MisconfiguredError(
            "the database URL cannot be read",
            hint="such as sqlite:////data/shop.db or postgresql+psycopg://user@host/shop",
        ) from None
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed, seconds)
        case "postgresql":
            return _postgres(parsed, seconds)
        case _:
            return _other(parsed)


def _sqlite(url: URL, seconds: float) -> sa.Engine:
    path = Path(url.database or "")
    if not url.database or not path.is_file():
        raise MisconfiguredError(
            f"there is no database file {url.database or '(none named)'}", hint="check the path in the URL"
        )
    if not os.access(path, os.R_OK):
        raise DeniedError(f"no permission to read {path}", hint="check the file's owner and mode")

    def connect() -> sqlite3.Connection:
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=min(LOCK_WAIT_SECONDS, seconds), isolation_level=None)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA temp_store = FILE")
        return connection

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
    engine.url = url
    sa.event.listen(engine, "begin", _begin_snapshot)
    sa.event.listen(engine, "before_cursor_execute", _watch(seconds))
    return engine


def _begin_snapshot(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _watch(seconds: float) -> Callable[..., None]:
    def start(connection: sa.Connection, *_: object) -> None:
        end = time.monotonic() + seconds
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - `_sqlite` made it
        raw.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)

    return start


def _postgres(url: URL, seconds: float) -> sa.Engine:
    millis = max(1, int(seconds * 1000))
    settings = (
        "-c default_transaction_read_only=on -c TimeZone=UTC"
        f" -c statement_timeout={millis} -c lock_timeout={int(LOCK_WAIT_SECONDS * 1000)}"
    )
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    arguments = {"options": settings, "connect_timeout": max(2, int(min(seconds, 10)))}
    return _created(url, isolation_level="REPEATABLE READ", connect_args=arguments)


def _other(url: URL) -> sa.Engine:
    return _created(url)


def _created(url: URL, **options: object) -> sa.Engine:
    try:
        return sa.create_engine(url, poolclass=sa.NullPool, **options)
    except (ImportError, sa.exc.NoSuchModuleError):
        raise MisconfiguredError(
            f"the driver for {url.drivername} is not installed",
            hint="install it beside clockwright, for PostgreSQL: pip install 'clockwright[postgres]'",
        ) from None
