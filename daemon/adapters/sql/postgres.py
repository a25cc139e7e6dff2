"""PostgreSQL: a pool of connections; the server itself groups the commits of concurrent transactions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine

from .faults import told
from .leases import Lease, ServerLease
from .migrations import is_current, migrate
from .statements import Statements

T = TypeVar("T")

CONNECTIONS: Final = 16
_MIGRATION_LOCK: Final = 0x436C6F636B
"""Any number will do as long as nobody else on this server takes it: "Clock" in ASCII."""


class PostgresDatabase:
    """A `Database` on a server. Raises StoreError where it cannot be reached or is of a newer version."""

    def __init__(self, url: URL) -> None:
        self._engine = _engine(url)
        self._reading = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self.lease: Lease = ServerLease()
        self.statements = Statements(self._engine.dialect)
        self._migrate()

    def write(self, work: Callable[[Connection], T]) -> T:
        with told(psycopg.Error), self._engine.begin() as connection:
            return work(connection)

    def read(self, work: Callable[[Connection], T]) -> T:
        with told(psycopg.Error), self._reading.connect() as connection:
            return work(connection)

    def close(self) -> None:
        self._engine.dispose()

    def _migrate(self) -> None:
        """Two that start together wait for each other here."""
        with told(psycopg.Error), self._engine.begin() as connection:
            if is_current(connection):
                return
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
            migrate(connection)


def _engine(url: URL) -> Engine:
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=10,
        connect_args={
            "connect_timeout": 5,
            "options": "-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s",
        },
    )
