"""Which stored runs this process may carry on, and how: as the owner that it is, or by a claim."""

from __future__ import annotations

from ..domain.model import Run
from ..ports import AlreadyDelivered, Notice, Severity, Stale, StoreError, Unreadable
from .driver import Deliver, Driver
from .outside import Outside
from .plans import Plans

STORE_PAUSE = 1.0
"""Seconds before a run that met a failing store is carried again."""
DEFECT_PAUSE = 30.0
"""Seconds before a run that met a defect of ours is carried again: it may be cured by a change outside, or never."""
QUARANTINE = 600.0
"""Seconds before a run that cannot be read is looked at again: somebody may have mended it, or a newer version it."""
SAY_AGAIN = 300.0
"""Seconds after which trouble that goes on is told again."""


class Custody:
    """Remembers the runs that were parked here under our epoch, those lost in the middle, and those nobody can read."""

    def __init__(self, outside: Outside, plans: Plans) -> None:
        self._outside = outside
        self._plans = plans
        self._parked: dict[str, int] = {}
        self._lost: dict[str, float] = {}
        self._shunned: dict[str, float] = {}
        self._told: dict[tuple[str, str], float] = {}
        self._doubt = False

    @property
    def lost(self) -> frozenset[str]:
        """Runs that nobody carries although they are ours, and whose pause is over."""
        now = self._outside.clock.boot()
        return frozenset(run for run, at in list(self._lost.items()) if at <= now)

    @property
    def returns_in(self) -> float | None:
        """Seconds until the next lost run may be carried again; None where none is lost."""
        at = min(list(self._lost.values()), default=None)
        return None if at is None else max(0.0, at - self._outside.clock.boot())

    @property
    def shunned(self) -> frozenset[str]:
        """Runs that cannot be read, and are left alone for now."""
        now = self._outside.clock.boot()
        return frozenset(run for run, until in list(self._shunned.items()) if until > now)

    def doubts(self) -> bool:
        """Whether a carrier met a failing store since this was asked last: it may be another store by now."""
        doubt = self._doubt
        if doubt:
            self._doubt = False
        return doubt

    def park(self, run: Run) -> None:
        """The run only waits: it stays ours until another owner claims it."""
        self._parked[run.id] = run.epoch

    def let_go(self, run_id: str, error: Exception) -> Notice | None:
        """The carrier met `error`, so its memory is not trusted any more; says what to tell about it, if anything.

        The run is claimed anew after a pause, unless it is someone else's or cannot be read.
        """
        if isinstance(error, AlreadyDelivered):
            self._lose(run_id, 0.0)
            return Notice("already_delivered", str(error), Severity.INFO, run=run_id)
        if isinstance(error, Stale):
            return Notice("run_taken_over", str(error), Severity.INFO, run=run_id)
        if isinstance(error, Unreadable):
            self._shunned[run_id] = self._outside.clock.boot() + QUARANTINE
            return self._once(Notice("run_quarantined", str(error), Severity.CRITICAL, run=run_id), QUARANTINE * 6)
        if isinstance(error, StoreError):
            self._lose(run_id, STORE_PAUSE)
            self._doubt = True
            return self._once(Notice("store_trouble", str(error), Severity.CRITICAL, run=run_id), SAY_AGAIN)
        self._lose(run_id, DEFECT_PAUSE)
        return Notice("run_defect", f"{type(error).__name__}: {error}", Severity.CRITICAL, run=run_id)

    def _once(self, notice: Notice, seconds: float) -> Notice | None:
        """The notice, unless the same was told within so many seconds."""
        now, key = self._outside.clock.boot(), (notice.topic, str(notice.run))
        if now < self._told.get(key, 0.0):
            return None
        self._told = {known: until for known, until in self._told.items() if until > now}
        self._told[key] = now + seconds
        return notice

    def _lose(self, run_id: str, pause: float) -> None:
        self._lost[run_id] = self._outside.clock.boot() + pause

    def resume(self, run_id: str, deliver: Deliver) -> Driver:
        """A driver over the run as it is stored. Raises Stale where it is, or has become, someone else's."""
        self._lost.pop(run_id, None)
        if run_id in self._parked:
            return self._parked_here(run_id, self._parked.pop(run_id), deliver)
        run = self._claim(run_id)
        driver = Driver(self._outside, self._plans.get(run.plan), run, deliver)
        driver.claimed()
        return driver

    def _parked_here(self, run_id: str, epoch: int, deliver: Deliver) -> Driver:
        run = self._outside.store.load(run_id)
        if run.epoch != epoch:
            raise Stale(f"run {run_id} was claimed under epoch {run.epoch} since it was parked under {epoch}")
        return Driver(self._outside, self._plans.get(run.plan), run, deliver)

    def _claim(self, run_id: str) -> Run:
        outside = self._outside
        try:
            return outside.store.claim(run_id, outside.owner, fence=outside.fence.epoch)
        except KeyError:
            raise Stale(f"run {run_id} was never stored") from None
