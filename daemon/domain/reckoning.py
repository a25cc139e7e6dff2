"""Checks the ledger against the schedules: what was due is worked out anew, and each instant must have its row."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .chain import Success
from .job import LedgerRow
from .revision import Revision, due_over

UNACCOUNTED = "unaccounted"
"""There should be a row, and there is none."""
OWED = "owed"
"""Not decided yet: the job is paused, or an earlier run goes on, or the daemon is not at work."""
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Reckoned:
    """One due instant; `row` is what the ledger says about it."""

    instant: datetime
    disposition: str
    row: LedgerRow | None = None

    @property
    def reason(self) -> str:
        return self.row.reason if self.row else ""


def reckon(
    revisions: Sequence[Revision],
    rows: Sequence[LedgerRow],
    watermark: datetime | None,
    start: datetime,
    end: datetime,
) -> Iterator[Reckoned]:
    """Every instant due in [start, end). `rows` are ordered, and reach to the first one at or after `end`."""
    instants = [row.occurrence.instant for row in rows]
    for due in due_over(revisions, start - INSTANT, end - INSTANT):
        position = bisect_left(instants, due)
        row = rows[position] if position < len(rows) and _stands_for(rows[position], due) else None
        if row is not None:
            yield Reckoned(due, row.disposition.value, row)
        else:
            yield Reckoned(due, OWED if watermark is None or due > watermark else UNACCOUNTED)


def reckon_chain(
    successes: Sequence[Success], rows: Sequence[LedgerRow], watermark: datetime | None, start: datetime, end: datetime
) -> Iterator[Reckoned]:
    """The same for a job that follows another one: it was due for each of these successes with an instant in [start,
    end). A row whose success is no longer kept counts as well.
    """
    by_instant = {row.occurrence.instant: row for row in rows if start <= row.occurrence.instant < end}
    ended = {success.instant: success.ended_at for success in successes if start <= success.instant < end}
    for due in sorted({*by_instant, *ended}):
        if row := by_instant.get(due):
            yield Reckoned(due, row.disposition.value, row)
        else:
            yield Reckoned(due, OWED if watermark is None or ended[due] > watermark else UNACCOUNTED)


def _stands_for(row: LedgerRow, due: datetime) -> bool:
    last = row.occurrence.instant
    return due == last or (row.since is not None and row.since <= due <= last)


def totals(reckoned: Sequence[Reckoned]) -> Mapping[str, int]:
    """How many instants came to what; together they are all that were due."""
    return Counter(one.disposition for one in reckoned)
