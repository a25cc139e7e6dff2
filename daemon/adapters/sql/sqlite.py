"""SQLite: one write connection that group-commits, and readers beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from daemon.ports import StoreError, StoreUnavailable

from .faults import meaning, told
from .group_commit import GroupCommit
from .leases import Host, Lease, LocalLease
from .migrations import check, migrate
from .sqlite_file import SqliteFile
from .statements import Statements

T = TypeVar("T")

CONNECTIONS: Final = 9
"""Kept open: the writer's, and one for each of eight readers."""


class SqliteDatabase:
    """A `Database` in one file. Raises StoreError where the file cannot be used or is of a newer version."""

    def __init__(self, file: SqliteFile, host: Host) -> None:
        self._file = file
        self.lease: Lease = LocalLease(host)
        file.prepare()
        self._engine = _engine(file)
        self._seen = file.identity()
        self._migrate()
        self.statements = Statements(self._engine.dialect)
        self._writer = SqliteWriter(self._engine, file)
        self._group = GroupCommit(self._writer)

    def write(self, work: Callable[[Connection], T]) -> T:
        def unit(connection: Connection) -> T:
            with told(sqlite3.Error):
                return work(connection)

        return self._group.run(unit)

    def read(self, work: Callable[[Connection], T]) -> T:
        self._watch()
        with told(sqlite3.Error), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            return work(connection)

    def close(self) -> None:
        self._writer.drop()
        self._engine.dispose()

    def _migrate(self) -> None:
        """Two that start together wait for each other here."""
        with told(sqlite3.Error), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            migrate(connection)
            connection.exec_driver_sql("COMMIT")

    def _watch(self) -> None:
        now = self._file.identity()
        if now != self._seen:
            self._seen = now
            self._engine.dispose()
            raise StoreUnavailable(_replaced(self._file))


class SqliteWriter:
    """The write connection as `Transactions`: opened when first needed, and anew after any doubt."""

    def __init__(self, engine: Engine, file: SqliteFile) -> None:
        self._engine = engine
        self._file = file
        self._seen = file.identity()
        self._connection: Connection | None = None
        self._cursor: DBAPICursor | None = None

    def begin(self) -> Connection:
        self._watch()
        connection = self._connection or self._connect()
        self._do("BEGIN IMMEDIATE")
        return connection

    def commit(self) -> None:
        self._do("COMMIT")

    def rollback(self) -> None:
        self._do("ROLLBACK")

    def savepoint(self) -> None:
        self._do("SAVEPOINT unit")

    def release(self) -> None:
        self._do("RELEASE unit")

    def undo(self) -> None:
        self._do("ROLLBACK TO unit")

    def abandon(self) -> None:
        with suppress(StoreError):
            self.rollback()
        self.drop()

    def drop(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                connection.invalidate()
                connection.close()

    def _connect(self) -> Connection:
        try:
            with told(sqlite3.Error):
                connection = self._connection = self._engine.connect()
                check(connection)
                self._cursor = connection.connection.cursor()
                return connection
        except StoreError as error:
            raise StoreUnavailable(*error.args) from error

    def _watch(self) -> None:
        """Who replaced the file may have put an older one there, so that every run must be looked at again."""
        now = self._file.identity()
        if now != self._seen:
            self._seen = now
            self.drop()
            raise StoreUnavailable(_replaced(self._file))

    def _do(self, command: str) -> None:
        """Whatever goes wrong between the units' own statements, the whole batch is lost."""
        if self._cursor is None:
            raise StoreUnavailable("the write connection is closed")
        try:
            self._cursor.execute(command)
        except sqlite3.Error as error:
            raise StoreUnavailable(*meaning(error).args) from error


def _replaced(file: SqliteFile) -> str:
    return f"the database file {file.path} was replaced; the new one is opened"


def _engine(file: SqliteFile) -> Engine:
    return create_engine(
        "sqlite://",
        creator=file.connect,
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        isolation_level="AUTOCOMMIT",
    )
