"""Looks out for jobs that did not start or end by their deadline, and says each of them once, with the cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..domain.birth import wanted_since
from ..domain.deadlines import Standing
from ..domain.job import Job
from ..domain.model import Run, RunState
from ..domain.overdue import Overdue, Scene, cause, overdue, unchanged_until
from ..domain.pause import EVERYTHING, Pause
from ..ports import AlertBook, Clock, EventSink, Notice, Queries, Severity, Signs, Store, Unreadable, Vitals
from .loop import Duty

OVERDUE = "overdue"
EVERY = 15.0
"""Seconds from one look to the next."""
STOOD_STILL = 60.0
"""Seconds without a look after which this process itself is the cause of what is late."""
SEVERAL = 5
"""With more jobs than this late for the same cause, one notice tells of all of them."""
QUEUED = 500
"""Queued runs that are looked at."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where it looks."""

    signs: Signs
    store: Store
    queries: Queries
    book: AlertBook
    """What was told already."""
    jobs: Callable[[], Mapping[str, Job]]


class Lookout:
    """A duty that also looks out, before each tick: what was owed when this daemon took over is told before it is
    made good. What was told stands in the alert book, so whoever takes over neither says it again nor leaves it open.
    """

    def __init__(self, duty: Duty, sources: Sources, clock: Clock, sink: EventSink) -> None:
        self._duty = duty
        self._sources = sources
        self._clock = clock
        self._sink = sink
        self._told: dict[str, str] | None = None
        """By job, the name of what was told of it; None until the book was asked."""
        self._looked_at: float | None = None
        self._kept: dict[str, tuple[Job, Standing, datetime | None, datetime]] = {}

    def lead(self) -> bool:
        return self._duty.lead()

    def take_over(self) -> None:
        self._duty.take_over()
        self._looked_at = None
        self._told = None

    def take_up(self) -> None:
        self._duty.take_up()

    def tick(self) -> datetime:
        boot = self._clock.boot()
        if self._looked_at is None or boot - self._looked_at >= EVERY:
            away = self._away(boot)
            self._looked_at = boot
            self._look(away)
        return self._duty.tick()

    def stand_down(self) -> None:
        self._duty.stand_down()

    def _away(self, boot: float) -> str:
        now = self._clock.now()
        if self._looked_at is None:
            return f"no daemon was at work until {now:%Y-%m-%d %H:%M:%SZ}; it is made good as the job's catch_up says"
        gap = boot - self._looked_at
        if gap <= STOOD_STILL:
            return ""
        return (
            f"this daemon stood still for {timedelta(seconds=round(gap))}; it is made good as the job's catch_up says"
        )

    def _look(self, away: str) -> None:
        vitals, now = self._sources.signs.vitals(), self._clock.now()
        jobs = self._sources.jobs()
        queued = self._queued(vitals)
        found = {}
        for job in jobs.values():
            standing = Standing(vitals.watermarks.get(job.id), vitals.open_since.get(job.id))
            if late := self._late(job, standing, queued.get(job.id), now):
                found[job.id] = late
        names = {job: late.name(job) for job, late in found.items()}
        told = self._recalled(names) if self._told is None else self._told
        self._tell({job: late for job, late in found.items() if told.get(job) != names[job]}, jobs, vitals, away)
        for name in told.keys() - found.keys():
            self._sink.notice(Notice("recovered", f"{name} is no longer overdue", Severity.INFO, job=name))
        self._told = names

    def _recalled(self, names: Mapping[str, str]) -> dict[str, str]:
        """What an earlier daemon has told: of jobs whose alert is open, and of those that were told of together."""
        book = self._sources.book
        alerts = (alert.trouble for alert in book.active() if alert.open)
        open_now = {told.subject.job: told.source for told in alerts if told.matter == OVERDUE and told.subject.job}
        known = book.known(list(names.values()))
        return open_now | {job: name for job, name in names.items() if name in known}

    def _late(self, job: Job, standing: Standing, queued: datetime | None, now: datetime) -> Overdue | None:
        """Nothing can have become late before the earliest deadline, so a job is not reckoned anew at every look."""
        kept = self._kept.get(job.id)
        if kept and kept[0] is job and kept[1:3] == (standing, queued) and now < kept[3]:
            return None
        late = overdue(job, standing, queued, now)
        self._kept[job.id] = (job, standing, queued, now if late else unchanged_until(job, standing, queued, now))
        return late

    def _queued(self, vitals: Vitals) -> Mapping[str, datetime]:
        rows = self._sources.queries.runs(state=RunState.QUEUED, limit=QUEUED) if vitals.open_runs else []
        return {row.job: wanted_since(row.cause, row.instant, row.queued_at) for row in rows if row.cause != "dry run"}

    def _tell(self, late: Mapping[str, Overdue], jobs: Mapping[str, Job], vitals: Vitals, away: str) -> None:
        now = self._clock.now()
        pauses = {pause.job: pause for pause in vitals.pauses if pause.holds(now)}
        by_cause: dict[str, list[str]] = defaultdict(list)
        for job in late:
            by_cause[cause(jobs[job], self._scene(job, late[job], pauses, away))].append(job)
        for why, names in by_cause.items():
            if len(names) > SEVERAL:
                text, about = f"{_named(names)} are overdue: {why}", tuple(late[job].name(job) for job in sorted(names))
                self._sink.notice(Notice(OVERDUE, text, Severity.CRITICAL, about=about))
                continue
            for job in names:
                text, about = late[job].told(jobs[job], why), (late[job].name(job),)
                self._sink.notice(Notice(OVERDUE, text, Severity.CRITICAL, job=job, about=about))

    def _scene(self, job: str, late: Overdue, pauses: Mapping[str, Pause], away: str) -> Scene:
        pause = None if late.begun else pauses.get(EVERYTHING) or pauses.get(job)
        return Scene(pause, self._run(job), away)

    def _run(self, job: str) -> Run | None:
        """The oldest unfinished one that can be read."""
        rows = self._sources.queries.runs(job, limit=QUEUED)
        unfinished = [row for row in rows if not row.state.ended and row.cause != "dry run"]
        try:
            return self._sources.store.load(unfinished[-1].id) if unfinished else None
        except (KeyError, Unreadable):  # told by whoever was to carry it
            return None


def _named(jobs: list[str]) -> str:
    return f"{len(jobs)} jobs ({', '.join(sorted(jobs)[:SEVERAL])} and {len(jobs) - SEVERAL} more)"
