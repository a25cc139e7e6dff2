"""A run as it is now, and what of it is not stored yet; it is stored in one transaction, or not at all."""

from __future__ import annotations

from ..domain.events import Event
from ..domain.job import LedgerRow
from ..domain.model import Run
from ..domain.plan import Plan
from ..domain.values import replace
from ..ports import Birth, Change, Stale
from .outside import Outside


class Progress:
    """`stored` is the run as last committed, `run` with what happened since."""

    def __init__(self, outside: Outside, plan: Plan, run: Run, ledger: LedgerRow | None = None) -> None:
        self.stored = self.run = run
        self._outside = outside
        self._plan = plan
        self._ledger = ledger
        self._events: list[Event] = []
        self._read: dict[int, str] = {}
        """Messages read, each with why it was not obeyed."""

    def happened(self, event: Event) -> None:
        self._events.append(event)
        self.run = self._outside.rules.fold(self._plan, self.run, event)

    def read(self, message: int, refused: str) -> None:
        self._read[message] = refused

    def commit(self) -> None:
        """Raises Stale, StoreUnavailable; nothing is stored then."""
        if not self._events and not self._read:
            return
        events, replies = tuple(self._events), {message: why for message, why in self._read.items() if why}
        if self.stored.version == 0:
            self._create(events)
        else:
            after = replace(self.run, version=self.stored.version + 1)
            self._outside.store.commit(Change(self.stored, after, events, tuple(self._read), replies))
            self.stored = self.run = after
        self._events, self._read = [], {}
        for event in events:
            self._outside.sink.emit(self.run, event)

    def _create(self, events: tuple[Event, ...]) -> None:
        """The first commit carries ledger row, run, claim and first start."""
        born = replace(self.run, version=1, epoch=1)
        outside, birth = self._outside, Birth(born, events, self._ledger)
        [stored] = outside.store.create([birth], owner=outside.owner, fence=outside.fence.epoch)
        if not stored:
            raise Stale(f"run {born.id} exists already")
        self.stored = self.run = born
