"""Brings a database to the schema of this version, and refuses one that a newer version has changed."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, inspect

from daemon.ports import StoreError, StoreUnavailable

from ..schema import METADATA

REVISIONS: Final = ("0001", "0002", "0003", "0004", "0005")
"""All of them, oldest first. Alembic, which is slow to import, is only needed where an older one is to be changed."""


def migrate(connection: Connection) -> None:
    """Inside the caller's transaction and lock."""
    found = revision(connection)
    if found == REVISIONS[-1]:
        return
    if found is not None and found not in REVISIONS:
        raise StoreError(_newer(found))
    if found is None and connection.dialect.name == "sqlite" and not inspect(connection).get_table_names():
        _create(connection)
        return
    from .upgrade import upgrade  # noqa: PLC0415 - see REVISIONS

    upgrade(connection, "head")


def _create(connection: Connection) -> None:
    """An empty SQLite file gets in one go what the migrations would make of it; a test holds the two equal."""
    METADATA.create_all(connection)
    connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (REVISIONS[-1],))


def is_current(connection: Connection) -> bool:
    """Nothing is to be changed, so that nobody need be waited for."""
    return revision(connection) == REVISIONS[-1]


def check(connection: Connection) -> None:
    """Raises StoreError where the schema is not the one of this version."""
    found = revision(connection)
    if found not in REVISIONS:
        raise StoreError(_newer(found) if found else "the database is empty: restart to set it up")
    if found != REVISIONS[-1]:
        raise StoreError(f"the database is of the older revision {found}: restart to bring it up to date")


def expect_current(connection: Connection) -> None:
    """Cheap, for whoever holds the database open for long: another version may have changed it meanwhile.

    Raises StoreUnavailable: it may be put back.
    """
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one_or_none()
    if found != REVISIONS[-1]:
        raise StoreUnavailable(_newer(str(found)))


def revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one_or_none()
    return None if found is None else str(found)


def _newer(found: str) -> str:
    return (
        f"the database is of revision {found}, which this version does not know (newest here: {REVISIONS[-1]}): "
        "upgrade Clockwright, or restore a backup made before the upgrade"
    )
