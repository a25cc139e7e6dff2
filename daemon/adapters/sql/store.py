"""The Store on SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, Connection, Integer, func, insert, literal_column, or_, select

from daemon.domain.chain import Link
from daemon.domain.deed import Deed
from daemon.domain.job import LedgerRow
from daemon.domain.model import Json, Run, RunState
from daemon.domain.pause import Pause
from daemon.domain.revision import Revision
from daemon.ports import Activity, Birth, Change, EffectRow, Followed, Message

from . import leases
from .database import Database
from .deeds import SqlDeeds
from .instants import instant, micros
from .migrations import expect_current
from .rows import known_intent, ledger_row, message_row, read_json, to_effect, to_message, to_run, write_json
from .schema import EFFECTS, INBOX, PLANS, RUNS, STEPS
from .timetables import SqlTimetables
from .writing import Writing


class SqlStore:
    """`daemon.ports.Store`; `database` also carries the queries."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._statements = database.statements
        self._writing = Writing(database.statements)
        self._timetables = SqlTimetables(database, database.statements)
        self._deeds = SqlDeeds(database)

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        accounted = [ledger_row(row) for row in rows]
        units = [self._writing.birth(birth, owner) for birth in births]
        marks = [{"job": job, "watermark": micros(at)} for job, at in (watermarks or {}).items()]

        def work(connection: Connection) -> list[bool]:
            leases.check_fence(connection, fence)
            self._statements.accounted.many(connection, accounted)
            self._statements.watermark.many(connection, marks)
            return [unit(connection) for unit in units]

        return self.database.write(work)

    def watermarks(self) -> Mapping[str, datetime]:
        return self._timetables.watermarks()

    def revise(
        self, revisions: Sequence[Revision], watermarks: Mapping[str, datetime] | None = None, *, fence: int = 0
    ) -> None:
        self._timetables.revise(revisions, watermarks or {}, fence)

    def revisions(self, job: str | None = None) -> list[Revision]:
        return self._timetables.revisions(job)

    def pause(self, pause: Pause) -> None:
        self._timetables.pause(pause)

    def resume(self, job: str, at: datetime, by: str) -> bool:
        return self._timetables.resume(job, at, by)

    def pauses(self) -> list[Pause]:
        return self._timetables.pauses()

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        return self._timetables.activity(jobs, since)

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        return self._timetables.followed(follower, link, since, also)

    def load(self, run_id: str) -> Run:
        return self.database.read(partial(load, run_id=run_id))

    def latest(self, job: str, instant: datetime) -> Run | None:
        newest = (
            select(RUNS.c.id)
            .where(RUNS.c.job == job, RUNS.c.instant == micros(instant))
            .order_by(RUNS.c.revision.desc())
            .limit(1)
        )

        def work(connection: Connection) -> Run | None:
            found = connection.execute(newest).scalar_one_or_none()
            return None if found is None else load(connection, found)

        return self.database.read(work)

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        def work(connection: Connection) -> Run:
            leases.check_fence(connection, fence)
            return self._writing.claim(connection, load(connection, run_id), owner)

        return self.database.write(work)

    def commit(self, change: Change) -> None:
        self.database.write(self._writing.change(change))

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        since = func.coalesce(RUNS.c.wake_at, RUNS.c.queued_at)
        query = select(RUNS.c.id).where(_open(), _due(now, owner)).order_by(since, RUNS.c.id).limit(limit)
        return self.database.read(lambda connection: list(connection.execute(query).scalars()))

    def next_wake(self, but: Collection[str] = ()) -> datetime | None:
        query = select(func.min(RUNS.c.wake_at)).where(_open())
        if but:
            query = query.where(RUNS.c.id.not_in(sorted(but)))
        return self.database.read(lambda connection: instant(connection.execute(query).scalar()))

    def note(self, deed: Deed) -> None:
        self._deeds.note(deed)

    def deed(self, key: str) -> Deed | None:
        return self._deeds.deed(key)

    def post(self, message: Message) -> int:
        statement = insert(INBOX).values(message_row(message)).returning(INBOX.c.id)
        return self.database.write(lambda connection: int(connection.execute(statement).scalar_one()))

    def messages(self, run_id: str) -> list[Message]:
        query = select(INBOX).where(INBOX.c.run == run_id, _unread()).order_by(INBOX.c.id)
        return [to_message(row) for row in self.database.read(lambda connection: connection.execute(query).all())]

    def reply(self, message: int) -> str | None:
        query = select(INBOX.c.reply).where(INBOX.c.id == message)
        return self.database.read(lambda connection: connection.execute(query).scalar_one_or_none())

    def effect(self, key: str) -> EffectRow | None:
        query = select(EFFECTS).where(EFFECTS.c.key == key)
        row = self.database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else to_effect(row)

    def remember(self, intents: Sequence[EffectRow], *, fence: int = 0) -> int:
        rows = [known_intent(row) for row in intents]

        def work(connection: Connection) -> int:
            leases.check_fence(connection, fence)
            return sum(self._statements.remembered.run(connection, row) for row in rows)

        return self.database.write(work)

    def save_plan(self, digest: str, body: Json) -> None:
        self.save_plans({digest: body})

    def save_plans(self, bodies: Mapping[str, Json]) -> None:
        rows = [{"digest": digest, "body": write_json(body)} for digest, body in bodies.items()]
        self.database.write(lambda connection: self._statements.plan.many(connection, rows))

    def load_plan(self, digest: str) -> Json:
        return self.database.read(partial(load_plan, digest=digest))

    def lead(self, owner: str, seconds: float) -> int | None:
        def work(connection: Connection) -> int | None:
            expect_current(connection)
            return self.database.lease.take(connection, owner, seconds)

        return self.database.write(work)

    def resign(self, owner: str) -> None:
        self.database.write(partial(leases.resign, owner=owner))

    def close(self) -> None:
        self.database.close()


def load(connection: Connection, run_id: str) -> Run:
    head = connection.execute(select(RUNS).where(RUNS.c.id == run_id)).one_or_none()
    if head is None:
        raise KeyError(run_id)
    steps = select(STEPS).where(STEPS.c.run == run_id).order_by(STEPS.c.position)
    return to_run(head, connection.execute(steps).all())


def load_plan(connection: Connection, digest: str) -> Json:
    body = connection.execute(select(PLANS.c.body).where(PLANS.c.digest == digest)).scalar_one_or_none()
    if body is None:
        raise KeyError(digest)
    return read_json(body, f"plan {digest}")


def _due(now: datetime, owner: str) -> ColumnElement[bool]:
    unread = select(INBOX.c.run).where(_unread())
    return or_(
        RUNS.c.state == RunState.QUEUED.value,
        RUNS.c.owner != owner,
        RUNS.c.wake_at <= micros(now),
        RUNS.c.id.in_(unread),
    )


def _open() -> ColumnElement[bool]:
    """Written out, not bound, so that the partial index serves it; so is `_unread`."""
    return RUNS.c.open == literal_column("1", Integer)


def _unread() -> ColumnElement[bool]:
    return INBOX.c.folded == literal_column("0", Integer)
