"""Makes jobs due that follow another one. Level, not edge: the store is asked what succeeded and is unaccounted for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from ..domain.birth import new_run
from ..domain.chain import Success, follow, mark
from ..domain.job import Disposition, Job, LedgerRow, Occurrence
from ..domain.ledger import Situation, Verdict
from ..domain.pause import EVERYTHING, Pause
from ..ports import Birth
from .outside import Outside
from .plans import Plans
from .roster import Roster

SINCE = timedelta(minutes=10)
"""How far back a look reaches beyond the last one: a run may be stored later than it says that it was queued."""
CAUSE = "chain"


class Chains:
    """One thread uses it. After `forget` it looks at all that was ever owed, else at what is new."""

    def __init__(self, outside: Outside, plans: Plans) -> None:
        self._outside = outside
        self._plans = plans
        self._open: dict[str, frozenset[str]] = {}
        """Unfinished runs of the jobs that are followed, as the last look found them."""
        self._looked_at: datetime | None = None
        self._owing: set[str] = set()

    def forget(self) -> None:
        self._looked_at = None
        self._open = {}

    def look(self, roster: Roster, pauses: Mapping[str, Pause], now: datetime) -> None:
        """Raises StoreError; then the same is looked at again."""
        before = self._looked_at
        unfinished: dict[str, frozenset[str]] = {}
        for job, chain in roster.chains.items():
            since = None if before is None or job in self._owing else min(before, now) - SINCE
            owed: list[Success] = []
            for link in chain:
                found = self._outside.store.followed(job, link, since, self._open.get(link.upstream, frozenset()))
                owed += found.owed
                unfinished[link.upstream] = found.unfinished
            if owed:
                owed.sort(key=lambda success: success.instant)
                self._account(roster, job, owed, pauses.get(EVERYTHING) or pauses.get(job), now)
            else:
                self._owing.discard(job)
        self._open, self._looked_at = unfinished, now

    def _account(
        self, roster: Roster, job_id: str, owed: Sequence[Success], pause: Pause | None, now: datetime
    ) -> None:
        job = roster.jobs.get(job_id)
        activity = self._outside.store.activity([job_id], owed[0].instant - timedelta(microseconds=1))
        made = {instant: run for (_, instant), run in activity.made.items()}
        situation = Situation(activity.running_since.get(job_id), made, pause)
        verdicts = follow(job, owed, situation, now) if job else _gone(roster, job_id, owed)
        if verdicts:
            self._store(job, job_id, owed, verdicts, now)
        if len(verdicts) < len(owed):
            self._owing.add(job_id)
        else:
            self._owing.discard(job_id)

    def _store(
        self, job: Job | None, job_id: str, owed: Sequence[Success], verdicts: Sequence[Verdict], now: datetime
    ) -> None:
        births, rows = [], []
        for success, verdict in zip(owed, verdicts, strict=False):
            row = _row(job_id, success, verdict, now)
            if job and verdict.starts:
                births.append(self._birth(job, row, now))
            else:
                rows.append(row)
        marks = {job_id: mark(owed, len(verdicts))}
        self._outside.store.create(births, rows, marks, fence=self._outside.fence.epoch)

    def _birth(self, job: Job, row: LedgerRow, now: datetime) -> Birth:
        self._plans.keep(job.plan)
        run = new_run(job, row.occurrence, now, cause=CAUSE)
        return Birth(run, ledger=_row_of(row, run.id))


def _row(job: str, success: Success, verdict: Verdict, now: datetime) -> LedgerRow:
    due = Occurrence(job, success.instant, success.data)
    return LedgerRow(due, verdict.disposition, verdict.reason, verdict.run, now, evidence=verdict.evidence)


def _row_of(row: LedgerRow, run: str) -> LedgerRow:
    return LedgerRow(row.occurrence, row.disposition, row.reason, run, row.recorded_at, evidence=row.evidence)


def _gone(roster: Roster, job: str, owed: Sequence[Success]) -> list[Verdict]:
    """The job is not there to be asked: it was removed, or its file has faults."""
    why = roster.absent.why(job)
    disposition = Disposition.BLOCKED_INVALID if why else Disposition.CANCELLED
    reason = why or "the job was removed from the configuration"
    return [Verdict(success.instant, disposition, reason) for success in owed]
