"""The audit log."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert, select

from daemon.domain.deed import Deed

from .database import Database
from .instants import micros
from .rows import deed_row, to_deed
from .schema import DEEDS


def key_used(connection: Connection, key: str | None) -> bool:
    if key is None:
        return False
    return connection.execute(select(DEEDS.c.id).where(DEEDS.c.key == key)).first() is not None


class SqlDeeds:
    """Written rarely: these statements are not prepared."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, deed: Deed) -> None:
        row = deed_row(deed)

        def work(connection: Connection) -> None:
            if not key_used(connection, row["key"]):
                connection.execute(insert(DEEDS), [row])

        self._database.write(work)

    def deed(self, key: str) -> Deed | None:
        query = select(DEEDS).where(DEEDS.c.key == key)
        row = self._database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else to_deed(row)

    def newest(self, limit: int, before: datetime | None) -> list[Deed]:
        query = select(DEEDS).order_by(DEEDS.c.at.desc(), DEEDS.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(DEEDS.c.at < micros(before))
        return [to_deed(row) for row in self._database.read(lambda connection: connection.execute(query).all())]
