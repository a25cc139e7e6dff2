"""SQLite: one write connection that group-commits, and readers beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from daemon.ports import StoreError, StoreUnavailable

from .faults import meaning, told
from .group_commit import GroupCommit
from .leases import Host, Lease, LocalLease
from .migrations import check, is_current, migrate
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
        self._watch = Watch(file, self._engine)
        self._generation = self._watch.generation
        self._migrate()
        self.statements = Statements(self._engine.dialect)
        self._writer = SqliteWriter(self._engine, self._watch)
        self._group = GroupCommit(self._writer)

    def write(self, work: Callable[[Connection], T]) -> T:
        def unit(connection: Connection) -> T:
            with told(sqlite3.Error):
                return work(connection)

        return self._group.run(unit)

    def read(self, work: Callable[[Connection], T]) -> T:
        before, self._generation = self._generation, self._watch.look()
        self._watch.expect(before, self._generation)
        with told(sqlite3.Error), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            return work(connection)

    def close(self) -> None:
        self._writer.drop()
        self._engine.dispose()

    def _migrate(self) -> None:
        """Two that start together wait for each other here; where there is nothing to change, nobody is waited for."""
        with told(sqlite3.Error), self._engine.connect() as connection:
            if is_current(connection):
                return
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            migrate(connection)
            connection.exec_driver_sql("COMMIT")


class Watch:
    """Notices that another file lies at the path. `generation` counts them; no old connection is given out again."""

    def __init__(self, file: SqliteFile, engine: Engine) -> None:
        self._file = file
        self._engine = engine
        self._seen = file.identity()
        self._lock = Lock()
        self.generation = 0

    def look(self) -> int:
        """The generation now. Raises StoreUnavailable where the file has gone."""
        now = self._file.identity()
        with self._lock:
            if now != self._seen:
                self._seen, self.generation = now, self.generation + 1
                self._engine.dispose()
            return self.generation

    def expect(self, before: int, now: int) -> None:
        """Who replaced the file may have put an older one there, so whoever saw the other must look at all again."""
        if before != now:
            raise StoreUnavailable(f"the database file {self._file.path} was replaced; the new one is opened")


class SqliteWriter:
    """The write connection as `Transactions`: opened when first needed, and anew after any doubt."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine = engine
        self._watch = watch
        self._generation = watch.generation
        self._connection: Connection | None = None
        self._cursor: DBAPICursor | None = None

    def begin(self) -> Connection:
        before, self._generation = self._generation, self._watch.look()
        if before != self._generation:
            self.drop()
        self._watch.expect(before, self._generation)
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

    def _do(self, command: str) -> None:
        """Whatever goes wrong between the units' own statements, the whole batch is lost."""
        if self._cursor is None:
            raise StoreUnavailable("the write connection is closed")
        try:
            self._cursor.execute(command)
        except sqlite3.Error as error:
            raise StoreUnavailable(*meaning(error).args) from error


def _engine(file: SqliteFile) -> Engine:
    return create_engine(
        "sqlite://",
        creator=file.connect,
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        isolation_level="AUTOCOMMIT",
    )
