"""What must be true of a simulated history once nothing happens any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from daemon.domain.job import LedgerRow
from daemon.domain.ledger import STARTS
from daemon.domain.model import Run, RunState, StepState

from .receiver import Parcel, Receiver
from .witness import Witness

SUCCEEDED = RunState.SUCCEEDED
Effect = tuple[object, ...]
"""Names an effect on the world independently of the product's own key: job, date, perhaps instant, number, step."""


@dataclass(frozen=True, slots=True)
class Audit:
    """`runs` as they are stored, `ledger` of the job, `due` every instant that was due."""

    runs: Mapping[str, Run]
    ledger: Sequence[LedgerRow]
    due: Sequence[datetime]
    receiver: Receiver
    witness: Witness

    def check(self) -> None:
        for invariant, what in [*self._accounted(), *self._all_ended(), *self._once(), *self._not_dropped()]:
            self.witness.broken(invariant, what)

    def _accounted(self) -> Iterator[tuple[int, str]]:
        rows = [row.occurrence.instant for row in self.ledger]
        if sorted(rows) != sorted(self.due):
            yield 1, f"due were {list(map(str, self.due))}, accounted for are {list(map(str, rows))}"
        for row in self.ledger:
            if row.disposition in STARTS and row.run not in self.runs:
                yield 1, f"the run {row.run} of {row.occurrence.instant} does not exist"

    def _all_ended(self) -> Iterator[tuple[int, str]]:
        for run in self.runs.values():
            if not run.state.ended:
                yield 4, f"{run.id} never ends; it is {run.state}"

    def _once(self) -> Iterator[tuple[int, str]]:
        """A part of an effect arrives once, and once more for every person who said retry."""
        for effect, parcels in self._arrived().items():
            allowed = 1 + sum(self.witness.granted[run.id, str(effect[-1])] for run in self._about(effect))
            for part in self.receiver.parts:
                times = sum(parcel.part == part for parcel in parcels)
                if times > allowed:
                    yield 3, f"{part} of {effect[-1]} arrived {times} times"

    def _not_dropped(self) -> Iterator[tuple[int, str]]:
        """What arrived is known to have arrived, or not to be known, or a person was asked."""
        for effect, parcels in self._arrived().items():
            runs, step = self._about(effect), str(effect[-1])
            whole = {parcel.part for parcel in parcels} == set(self.receiver.parts)
            if whole and not self._forgotten(parcels) and not any(self._known(run, step) for run in runs):
                yield 3, f"{step} was delivered and no run knows it"
        for run in self.runs.values():
            yield from self._claimed_in_vain(run)

    def _forgotten(self, parcels: Sequence[Parcel]) -> bool:
        """A run that goes on from a backup may never come to what it had delivered since."""
        begin, end = self.witness.lost
        return any(begin <= parcel.at <= end for parcel in parcels)

    def _known(self, run: Run, step: str) -> bool:
        told = "not known whether" in run.reason and step in run.reason
        return run.steps[step].state is StepState.DONE or self.witness.seen[run.id, step].asked or told

    def _claimed_in_vain(self, run: Run) -> Iterator[tuple[int, str]]:
        arrived = self._arrived()
        for step in self.witness.plan_of(run.id).external():
            at = run.steps.get(step.id)
            done = at is not None and at.state is StepState.DONE and not at.summary.startswith("confirmed")
            if done and self._effect(run, step.id) not in arrived:
                yield 10, f"{run.id} says that {step.id} was delivered, and nothing arrived"

    @property
    def _ever(self) -> Mapping[str, Run]:
        """Those that the store has forgotten, too."""
        return {**self.witness.runs, **self.runs}

    def _arrived(self) -> Mapping[Effect, list[Parcel]]:
        found: defaultdict[Effect, list[Parcel]] = defaultdict(list)
        for parcel in self.receiver.parcels:
            run = self._ever[parcel.call.rsplit(".", 2)[0]]
            plan = self.witness.plan_of(run.id)
            if plan.is_external(plan.by_id[parcel.step]):
                found[self._effect(run, parcel.step)].append(parcel)
        return found

    def _effect(self, run: Run, step: str) -> Effect:
        shared = self.witness.plan_of(run.id).shares_dates
        return (run.job, run.data.day, run.instant if shared else None, run.send, step)

    def _about(self, effect: Effect) -> list[Run]:
        return [run for run in self._ever.values() if self._effect(run, str(effect[-1])) == effect and run.steps]


CHAIN = "chain"


@dataclass(frozen=True, slots=True)
class ChainAudit:
    """A follower, `ledger` its own, over all `runs` that are stored: once for each success, whatever happened."""

    upstream: str
    follower: str
    runs: Mapping[str, Run]
    ledger: Sequence[LedgerRow]
    witness: Witness

    def check(self) -> None:
        for what in [*self._followed(), *self._once(), *self._dates()]:
            self.witness.broken(1, what)

    def _followed(self) -> Iterator[str]:
        done = {run.instant for run in self.runs.values() if run.job == self.upstream and run.state is SUCCEEDED}
        rows = [row.occurrence.instant for row in self.ledger]
        if sorted(rows) != sorted(done):
            yield f"{self.upstream} succeeded for {sorted(map(str, done))}, followed are {sorted(map(str, rows))}"

    def _once(self) -> Iterator[str]:
        fired = Counter(run.instant for run in self.runs.values() if run.job == self.follower and run.cause == CHAIN)
        for instant, times in fired.items():
            if times > 1:
                yield f"the chain fired {times} times for {instant}"
        for row in self.ledger:
            if row.disposition in STARTS and row.run not in self.runs:
                yield f"the run {row.run} of {row.occurrence.instant} does not exist"

    def _dates(self) -> Iterator[str]:
        dates = {run.instant: run.data for run in self.runs.values() if run.job == self.upstream}
        for run in self.runs.values():
            if run.job == self.follower and run.data != dates.get(run.instant):
                yield f"{run.id} has another data date than the run that it follows"
