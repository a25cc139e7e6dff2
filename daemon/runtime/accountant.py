"""Writes down what becomes of owed instants: one transaction for a batch of jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ..domain.birth import SCHEDULE, new_run
from ..domain.calendar import data_date
from ..domain.job import Disposition, Job, LedgerRow, Occurrence
from ..domain.ledger import LATE, Owed, Situation, Verdict, account
from ..domain.pause import EVERYTHING, Pause
from ..ports import Activity, Birth, Notice, Severity
from .outside import Outside
from .plans import Plans
from .roster import Roster

AGAIN = timedelta(seconds=1)
"""How soon what had to stay owed is looked at again; the end of a run or of a pause calls for it at once."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How what is late is caught up, over all jobs."""

    at_once: int = 10
    """Late starts in one look; the others follow a second later."""
    ask_above: int = 100
    """Jobs with something to catch up in one look, above which a person is asked."""


@dataclass
class _Batch:
    births: list[Birth] = field(default_factory=list)
    rows: list[LedgerRow] = field(default_factory=list)
    marks: dict[str, datetime] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    late: int = 0

    def accounted(self, made: Sequence[bool]) -> list[LedgerRow]:
        """The rows of this batch; a birth that had come about already has none."""
        return self.rows + [birth.ledger for birth, new in zip(self.births, made, strict=True) if new and birth.ledger]


class Accountant:
    """`began_at` is when this process took over: what was due before it was owed by nobody's fault."""

    def __init__(self, outside: Outside, plans: Plans, zone_data: str) -> None:
        self._outside = outside
        self._plans = plans
        self._zone_data = zone_data
        self._asked: set[str] = set()
        self.began_at = outside.clock.now()
        self.told: Callable[[Sequence[LedgerRow]], None] = lambda _: None
        """Hears what was written down."""

    def account(self, roster: Roster, jobs: Sequence[str], pauses: Mapping[str, Pause], pace: Pace) -> None:
        now = self._outside.clock.now()
        owed = {job: roster.owed(job, now) for job in jobs}
        if self._asks(roster, owed, pauses, pace, now):
            return
        store, batch = self._outside.store, _Batch()
        activity = store.activity(jobs, min(map(roster.mark, jobs)))
        asked_for = _by_job(activity)
        for job in jobs:
            pause = pauses.get(EVERYTHING) or pauses.get(job)
            room = max(0, pace.at_once - batch.late)
            situation = Situation(activity.running_since.get(job), asked_for.get(job, {}), pause, room)
            self._one(roster, job, owed[job], situation, batch, now)
        if batch.births or batch.rows:
            made = store.create(batch.births, batch.rows, batch.marks, fence=self._outside.fence.epoch)
            self.told(batch.accounted(made))
        for job in jobs:
            roster.settle(job, batch.marks.get(job), now, now + AGAIN if job in batch.held else None)

    def _one(self, roster: Roster, job_id: str, owed: Owed, situation: Situation, batch: _Batch, now: datetime) -> None:
        job = roster.jobs.get(job_id)
        verdicts = account(job, owed, situation, now) if job else _absent(roster, job_id, owed)
        for verdict in verdicts:
            row = self._row(roster, job_id, verdict, now)
            if verdict.starts and job:
                batch.births.append(self._birth(job, row, now))
            else:
                batch.rows.append(row)
        batch.late += sum(verdict.starts and verdict.disposition is Disposition.LATE_STARTED for verdict in verdicts)
        if verdicts:
            batch.marks[job_id] = verdicts[-1].instant
        if owed.instants and (not verdicts or verdicts[-1].instant < owed.instants[-1]):
            batch.held.add(job_id)

    def _birth(self, job: Job, row: LedgerRow, now: datetime) -> Birth:
        self._plans.keep(job.plan)
        run = new_run(job, row.occurrence, now, cause=SCHEDULE)
        return Birth(run, ledger=_with_run(row, run.id))

    def _row(self, roster: Roster, job: str, verdict: Verdict, now: datetime) -> LedgerRow:
        data = data_date(verdict.instant, roster.zone(job), self._zone_data)
        evidence = dict(verdict.evidence)
        if verdict.instant <= self.began_at:
            evidence["because"] = f"no daemon was at work; this one took over at {self.began_at.isoformat()}"
        return LedgerRow(
            Occurrence(job, verdict.instant, data),
            verdict.disposition,
            verdict.reason,
            verdict.run,
            now,
            verdict.since,
            evidence,
        )

    def _asks(
        self, roster: Roster, owed: Mapping[str, Owed], pauses: Mapping[str, Pause], pace: Pace, now: datetime
    ) -> bool:
        """Whether so much is owed that a person is asked first: these jobs pause, once for each outage."""
        late = [job for job in owed if job not in self._asked and self._is_late(roster, job, owed[job], now)]
        if len(late) <= pace.ask_above or EVERYTHING in pauses:
            return False
        self._asked.update(late)
        why = f"{len(late)} jobs have runs to catch up at once; resume them to run what they owe"
        for job in late:
            self._outside.store.pause(Pause(job, now, "clockwright", why))
            roster.look_again([job], now)
        notice = Notice("catch_up_asks", f"{why} with 'clockwright jobs resume --all'", Severity.CRITICAL)
        self._outside.sink.notice(notice)
        return True

    def _is_late(self, roster: Roster, job_id: str, owed: Owed, now: datetime) -> bool:
        job = roster.jobs.get(job_id)
        late = bool(owed.instants) and now - owed.instants[-1] > LATE
        found = account(job, owed, Situation(), now) if job and late else []
        return any(verdict.disposition is Disposition.LATE_STARTED for verdict in found)


def _by_job(activity: Activity) -> Mapping[str, Mapping[datetime, str]]:
    found: dict[str, dict[datetime, str]] = {}
    for (job, instant), run in activity.made.items():
        found.setdefault(job, {})[instant] = run
    return found


def _absent(roster: Roster, job: str, owed: Owed) -> list[Verdict]:
    """The job is not there to be asked: it was removed, or its file has faults."""
    why = roster.absent.why(job)
    disposition = Disposition.BLOCKED_INVALID if why else Disposition.CANCELLED
    reason = why or "the job was removed from the configuration"
    span = [Verdict(owed.older[1], disposition, reason, since=owed.older[0])] if owed.older else []
    return span + [Verdict(at, disposition, reason) for at in owed.instants]


def _with_run(row: LedgerRow, run: str) -> LedgerRow:
    return LedgerRow(row.occurrence, row.disposition, row.reason, run, row.recorded_at, row.since, row.evidence)
