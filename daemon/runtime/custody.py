"""Which stored runs this process may carry on, and how: as the owner that it is, or by a claim."""

from __future__ import annotations

from ..domain.model import Run
from ..ports import Stale
from .driver import Deliver, Driver
from .outside import Outside
from .plans import Plans


class Custody:
    """Remembers the runs that were parked here under our epoch, and those that were lost in the middle."""

    def __init__(self, outside: Outside, plans: Plans) -> None:
        self._outside = outside
        self._plans = plans
        self._parked: dict[str, int] = {}
        self._lost: dict[str, float] = {}

    @property
    def lost(self) -> frozenset[str]:
        """Runs that nobody carries although they are ours, and whose pause is over."""
        now = self._outside.clock.boot()
        return frozenset(run for run, at in list(self._lost.items()) if at <= now)

    def park(self, run: Run) -> None:
        """The run only waits: it stays ours until another owner claims it."""
        self._parked[run.id] = run.epoch

    def lose(self, run_id: str, pause: float) -> None:
        """Memory is not to be trusted any more; the run is to be claimed anew after `pause` seconds."""
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
