"""Schedules, pauses, and what of a job goes on: the part of the store that the scheduler alone asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Row, and_, func, insert, literal_column, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from daemon.domain import codec
from daemon.domain.chain import Link, Success
from daemon.domain.model import RunState
from daemon.domain.pause import Pause
from daemon.domain.revision import Revision
from daemon.ports import Activity, Followed, Unreadable

from . import leases
from .database import Database
from .instants import instant, micros
from .rows import read, shown, to_run
from .schema import JOBS, LEDGER, PAUSES, RUNS, SCHEDULES
from .statements import Statements

DRY_RUN = "dry run"


class SqlTimetables:
    """Written rarely: these statements are not prepared."""

    def __init__(self, database: Database, statements: Statements) -> None:
        self._database = database
        self._statements = statements

    def revise(self, revisions: Sequence[Revision], marks: Mapping[str, datetime], fence: int) -> None:
        rows = [{"job": one.job, "since": micros(one.since), "body": codec.encode(one)} for one in revisions]
        raised = [{"job": job, "watermark": micros(at)} for job, at in marks.items()]

        def work(connection: Connection) -> None:
            leases.check_fence(connection, fence)
            dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
            if rows:
                connection.execute(dialect.insert(SCHEDULES).on_conflict_do_nothing(), rows)
            self._statements.watermark.many(connection, raised)

        self._database.write(work)

    def watermarks(self) -> Mapping[str, datetime]:
        rows = self._database.read(lambda connection: connection.execute(select(JOBS)).all())
        return {row.job: instant(row.watermark) for row in rows}

    def revisions(self, job: str | None) -> list[Revision]:
        query = select(SCHEDULES).order_by(SCHEDULES.c.job, SCHEDULES.c.since)
        if job is not None:
            query = query.where(SCHEDULES.c.job == job)
        rows = self._database.read(lambda connection: connection.execute(query).all())
        return [read(Revision, row.body, f"schedule of {row.job} since {row.since}") for row in rows]

    def pause(self, pause: Pause) -> None:
        row = {"job": pause.job, "since": micros(pause.since), "open": 1, "ended_at": None, "ended_by": ""}

        def work(connection: Connection) -> None:
            _end(connection, pause.job, pause.since, pause.by)
            connection.execute(insert(PAUSES), {**row, "body": codec.encode(pause)})

        self._database.write(work)

    def resume(self, job: str, at: datetime, by: str) -> bool:
        return self._database.write(lambda connection: _end(connection, job, at, by) > 0)

    def pauses(self) -> list[Pause]:
        query = select(PAUSES).where(_open()).order_by(PAUSES.c.job)
        rows = self._database.read(lambda connection: connection.execute(query).all())
        return [read(Pause, row.body, f"pause of {row.job}") for row in rows]

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        names = list(jobs)
        running = (
            select(RUNS.c.job, func.min(RUNS.c.queued_at))
            .where(RUNS.c.open == literal_column("1", Integer), RUNS.c.cause != DRY_RUN)
            .group_by(RUNS.c.job)
        )
        made = select(RUNS.c.job, RUNS.c.instant, func.min(RUNS.c.id)).where(
            RUNS.c.job.in_(names), RUNS.c.instant > micros(since), RUNS.c.cause != DRY_RUN
        )

        def work(connection: Connection) -> Activity:
            found = connection.execute(made.group_by(RUNS.c.job, RUNS.c.instant)).all()
            return Activity(
                {job: instant(at) for job, at in connection.execute(running).all()},
                {(job, instant(at)): run for job, at, run in found},
            )

        return self._database.read(work)

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        of_upstream = (RUNS.c.job == link.upstream, RUNS.c.cause != DRY_RUN)
        unfinished = select(RUNS.c.id).where(*of_upstream, RUNS.c.open == literal_column("1", Integer))
        accounted = select(LEDGER.c.job).where(LEDGER.c.job == follower, LEDGER.c.instant == RUNS.c.instant)
        known = RUNS.c.id.in_(sorted(also))
        covered = or_(and_(*_within(link)), known)
        owed = select(RUNS).where(*of_upstream, RUNS.c.state == RunState.SUCCEEDED.value, covered, ~accounted.exists())
        if since is not None:
            owed = owed.where(or_(RUNS.c.queued_at > micros(since), known))

        def work(connection: Connection) -> Followed:
            # What ends in between is among the unfinished, and found by the next look.
            left = frozenset(connection.execute(unfinished).scalars())
            return Followed(list(_successes(connection.execute(owed).all())), left)

        return self._database.read(work)


def _successes(rows: Sequence[Row[Any]]) -> Iterator[Success]:
    """A row that this version cannot read is left alone: nothing follows it before it can."""
    for row in rows:
        with suppress(Unreadable):
            run = to_run(row, [])
            yield Success(run.id, run.instant, instant(row.ended_at), run.data)


def _within(link: Link) -> Iterator[ColumnElement[bool]]:
    """`Link.covers`."""
    yield or_(RUNS.c.ended_at > micros(link.after), RUNS.c.instant > micros(link.after))
    if link.until:
        yield RUNS.c.ended_at <= micros(link.until)


def _end(connection: Connection, job: str, at: datetime, by: str) -> int:
    ended = update(PAUSES).where(PAUSES.c.job == job, _open())
    return connection.execute(ended.values(open=0, ended_at=micros(at), ended_by=shown(by))).rowcount


def _open() -> ColumnElement[bool]:
    return PAUSES.c.open == literal_column("1", Integer)
