"""Forgets runs that ended long ago. Ledger rows and receipts stay: they say what was, and what not to repeat."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Select, delete, exists, func, select

from .database import Database
from .instants import micros
from .schema import ESCALATIONS, EVENTS, INBOX, PLANS, RUNS, STEPS

_UNFOLLOWED: Final = ~exists().where(RUNS.c.plan == PLANS.c.digest)
_PARTS: Final = (STEPS, EVENTS, ESCALATIONS, INBOX)


class SqlAttic:
    """`daemon.ports.Attic`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, job: str, before: datetime) -> int:
        old = _old(job, before).subquery()
        query = select(func.count()).select_from(old)
        return self._database.read(lambda connection: int(connection.execute(query).scalar_one()))

    def prune(self, job: str, before: datetime, most: int) -> int:
        def work(connection: Connection) -> int:
            ids = list(connection.execute(_old(job, before).limit(most)).scalars())
            for table in _PARTS:
                connection.execute(delete(table).where(table.c.run.in_(ids)))
            connection.execute(delete(RUNS).where(RUNS.c.id.in_(ids)))
            return len(ids)

        return self._database.write(work)

    def unfollowed(self) -> Set[str]:
        query = select(PLANS.c.digest).where(_UNFOLLOWED)
        return self._database.read(lambda connection: frozenset(connection.execute(query).scalars()))

    def drop(self, plans: Set[str]) -> int:
        if not plans:
            return 0
        gone = delete(PLANS).where(PLANS.c.digest.in_(sorted(plans)), _UNFOLLOWED)
        return self._database.write(lambda connection: connection.execute(gone).rowcount)


def _old(job: str, before: datetime) -> Select[tuple[str]]:
    ended = (RUNS.c.job == job, RUNS.c.open == 0, RUNS.c.ended_at < micros(before))
    return select(RUNS.c.id).where(*ended).order_by(RUNS.c.ended_at)
