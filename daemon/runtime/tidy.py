"""Retention: runs that ended long ago are forgotten, a few at a time, by whoever serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from ..domain.defaults import RETENTION
from ..domain.job import Job
from ..ports import Artifacts, Attic, Clock
from .loop import Duty
from .plans import Plans

BATCH = 200
"""Runs forgotten in one transaction, so that nobody waits long for it."""
SPARE = timedelta(days=7)
"""A file outlives the run that made it by this much: a run may take a while, and a clock may be wrong."""
EVERY = 3600.0
"""Seconds from one look to the next."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many runs of a job were, or would be, forgotten, and how old they had to be."""

    job: str
    runs: int
    before: datetime


def forget(attic: Attic, jobs: Iterable[Job], now: datetime, *, dry_run: bool = False) -> Iterator[Forgotten]:
    """Each job with something to forget. Raises StoreError."""
    for job in jobs:
        before = now - job.retention
        runs = attic.count(job.id, before) if dry_run else _all(partial(attic.prune, job.id, before, BATCH))
        if runs:
            yield Forgotten(job.id, runs, before)


def _all(prune: Callable[[], int]) -> int:
    runs = 0
    while pruned := prune():
        runs += pruned
    return runs


def sweep(artifacts: Artifacts, jobs: Iterable[Job], now: datetime) -> int:
    """Delete files that are older than any run that may name them, orphans among them; how many."""
    longest = max((job.retention for job in jobs), default=RETENTION)
    return artifacts.forget(now - longest - SPARE)


class Tidied:
    """A duty that also forgets, once an hour, for as long as it leads. `jobs` are those in force then."""

    def __init__(
        self,
        duty: Duty,
        attic: Attic,
        plans: Plans,
        artifacts: Artifacts,
        jobs: Callable[[], Sequence[Job]],
        clock: Clock,
    ) -> None:
        self._duty = duty
        self._attic = attic
        self._plans = plans
        self._artifacts = artifacts
        self._jobs = jobs
        self._clock = clock
        self._due = 0.0

    def lead(self) -> bool:
        return self._duty.lead()

    def take_over(self) -> None:
        self._duty.take_over()

    def take_up(self) -> None:
        self._duty.take_up()

    def tick(self) -> datetime:
        until = self._duty.tick()
        if self._clock.boot() >= self._due:
            self._due = self._clock.boot() + EVERY
            jobs = self._jobs()
            for _ in forget(self._attic, jobs, self._clock.now()):
                pass
            self._plans.prune(self._attic, {job.plan.digest for job in jobs})
            sweep(self._artifacts, jobs, self._clock.now())
        return until

    def stand_down(self) -> None:
        self._duty.stand_down()
