"""What there is to be told: found in the store, so that a crash loses none of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from ..domain import troubles
from ..domain.alerts import Alert, Subject, Topic, Trouble
from ..domain.birth import SCHEDULE
from ..domain.fleet_day import FleetDay, RunEnd, summed_up
from ..domain.job import Job, LedgerRow
from ..domain.manners import Daily
from ..domain.model import RunState
from ..domain.pause import Pause
from ..domain.streak import paused_for_failing
from ..domain.wording import decided
from ..ports import AlertBook, EscalationRow, Queries, RunRow, Store, Unreadable

AT_FIRST = timedelta(days=1)
"""How far a daemon without any alerts looks back."""
AFTER_A_START = timedelta(hours=1)
OVERLAP = timedelta(minutes=2)
"""How much later than its time something may be stored."""
AT_ONCE = 5000
"""What one look takes in at most; the next goes on from there."""
A_MOMENT = timedelta(milliseconds=1)
STALE_DIGEST = timedelta(hours=12)
_GOOD = frozenset({RunState.SUCCEEDED, RunState.DEGRADED})
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Cure:
    """A run of the job that ended well."""

    job: str
    at: datetime
    state: RunState

    @property
    def outcome(self) -> str:
        return "recovered" if self.state is RunState.SUCCEEDED else "partly recovered: the next run was degraded"


@dataclass(frozen=True, slots=True)
class Intake:
    """`skipped` are sources that are too old to be told, and are not looked at again."""

    troubles: list[Trouble]
    cures: list[Cure]
    skipped: list[str]


class AlertIntake:
    """Asks level, not edge: everything since a while ago, less what was taken in already. Not thread safe."""

    def __init__(
        self,
        book: AlertBook,
        store: Store,
        queries: Queries,
        jobs: Callable[[], Mapping[str, Job]],
        limit: int = AT_ONCE,
    ) -> None:
        self._book = book
        self._store = store
        self._queries = queries
        self._jobs = jobs
        self._limit = limit
        self._since: datetime | None = None
        self._reached: datetime | None = None

    def look(self, now: datetime, daily: Daily | None) -> Intake:
        """Raises StoreError. The same look twice gives the same, until what it gave is saved."""
        news = self._book.news(self._since or self._start(now), self._limit)
        self._reached = news.until
        bad = [row for row in news.ended if row.state in {RunState.FAILED, RunState.DEGRADED}]
        found = [
            *self._fresh({f"run/{row.id}/ended": row for row in bad}, self._ended),
            *self._fresh({_due(row): row for row in news.unstarted}, self._unstarted),
            *self._fresh({f"run/{row.run}/asked/{row.id}": row for row in self._queries.escalations()}, self._asked),
            *self._fresh({f"pause/{one.job}/{one.since.isoformat()}": one for one in self._streaks()}, self._paused),
        ]
        cures = [Cure(row.job, row.ended_at or now, row.state) for row in news.ended if row.state in _GOOD]
        told, skipped = self._digest(now, daily)
        return Intake(sorted([*found, *told], key=lambda trouble: trouble.at), cures, skipped)

    def looked(self, now: datetime) -> bool:
        """What the look at that time found is saved. False where there is more to be found at once."""
        self._since = self._reached - A_MOMENT if self._reached else now - OVERLAP
        return self._reached is None

    def subject(self, job: str) -> Subject:
        found = self._jobs().get(job)
        return Subject(job, found.owner, found.runbook, found.tags) if found else Subject(job)

    def outcome(self, alert: Alert, now: datetime) -> tuple[datetime, str] | None:
        """When and how what the alert asks was decided; None while it is open."""
        if alert.trouble.topic is Topic.STREAK:
            paused = any(one.job == alert.trouble.subject.job for one in self._streaks())
            return None if paused else (now, "resumed")
        asked = alert.trouble.question
        row = self._book.question(alert.trouble.run, asked.id) if asked else None
        if asked and row is None:
            return asked.expires_at, "no longer asked"
        if row is None or row.closed_at is None:
            return None
        return row.closed_at, decided(row.option, row.closed_by, row.closed_at)

    def _start(self, now: datetime) -> datetime:
        newest = self._book.newest()
        return min(newest, now) - AFTER_A_START if newest else now - AT_FIRST

    def _fresh(self, by_source: Mapping[str, _T], make: Callable[[_T], Trouble | None]) -> Iterator[Trouble]:
        known = self._book.known(list(by_source)) if by_source else frozenset()
        for source, row in by_source.items():
            with suppress(KeyError, Unreadable):  # forgotten meanwhile, or of a newer version: none of ours to tell
                if source not in known and (trouble := make(row)):
                    yield trouble

    def _streaks(self) -> list[Pause]:
        return [pause for pause in self._store.pauses() if paused_for_failing(pause)]

    def _paused(self, pause: Pause) -> Trouble:
        return troubles.of_pause(pause, self.subject(pause.job))

    def _ended(self, row: RunRow) -> Trouble | None:
        return troubles.of_end(self._store.load(row.id), self.subject(row.job))

    def _unstarted(self, row: LedgerRow) -> Trouble:
        return troubles.of_absence(row, self.subject(row.occurrence.job))

    def _asked(self, row: EscalationRow) -> Trouble | None:
        run = self._store.load(row.run)
        asked = run.escalations.get(row.id)
        return troubles.of_question(run, asked, self.subject(run.job)) if asked and not run.dry_run else None

    def _deadline(self, row: RunRow) -> datetime | None:
        within = self._finish_within(row.job)
        return row.instant + within if within is not None and row.cause == SCHEDULE else None

    def _finish_within(self, job: str) -> timedelta | None:
        found = self._jobs().get(job)
        return found.timing.finish_within if found else None

    def _digest(self, now: datetime, daily: Daily | None) -> tuple[list[Trouble], list[str]]:
        """Once for each due instant; one that is long past is left out."""
        if daily is None:
            return [], []
        until = daily.last(now)
        source = f"digest/{until.isoformat()}"
        if self._book.known([source]):
            return [], []
        if now - until > STALE_DIGEST or self._book.newest() is None:
            return [], [source]
        return [summed_up(self._day(daily.last(until - timedelta(seconds=1)), until))], []

    def _day(self, since: datetime, until: datetime) -> FleetDay:
        news = self._book.news(since, AT_ONCE)
        rows = [row for row in news.ended if row.ended_at and row.ended_at <= until]
        return FleetDay(
            since=since,
            until=until,
            ends=[RunEnd(row.job, row.date, row.state, row.reason, self._was_late(row)) for row in rows],
            unstarted=[f"{row.occurrence.job} for {row.occurrence.data.day}: {row.reason}" for row in news.unstarted],
            questions=[f"{row.job}: {row.question}" for row in self._queries.escalations()],
            costs=self._book.spent([row.id for row in rows]),
        )

    def _was_late(self, row: RunRow) -> bool:
        deadline = self._deadline(row)
        return bool(deadline and row.ended_at and row.ended_at > deadline)


def _due(row: LedgerRow) -> str:
    return f"due/{row.occurrence.job}/{row.occurrence.instant.isoformat()}"
