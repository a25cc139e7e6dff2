"""Compiled plans by digest: stored once, read back for every run that follows them."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..domain.codec import from_plain, to_plain
from ..domain.plan import Plan
from ..ports import Attic, Store

BATCH = 500


class Plans:
    """A cache over the store; a plan never changes under its digest."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Plan] = {}
        self._spare: Set[str] = frozenset()

    def keep(self, plan: Plan) -> None:
        """Store the plan if it is new. Called before a run that follows it is created."""
        if plan.digest not in self._known:
            self._store.save_plan(plan.digest, to_plain(plan))
            self._known[plan.digest] = plan

    def keep_all(self, plans: Iterable[Plan]) -> None:
        """Ahead of the first run, a few hundred a transaction: a thousand jobs due at once must not wait for each."""
        new = {plan.digest: plan for plan in plans if plan.digest not in self._known}
        digests = list(new)
        for start in range(0, len(digests), BATCH):
            batch = digests[start : start + BATCH]
            self._store.save_plans({digest: to_plain(new[digest]) for digest in batch})
            self._known.update((digest, new[digest]) for digest in batch)

    def get(self, digest: str) -> Plan:
        if digest not in self._known:
            self._known[digest] = from_plain(Plan, self._store.load_plan(digest))
        return self._known[digest]

    def prune(self, attic: Attic, needed: Set[str]) -> int:
        """Forget plans that no run follows, now or when this was called last, and that are not `needed`; how many.

        Twice, because a plan is stored a moment before the run that follows it.
        """
        spare = attic.unfollowed() - needed
        gone, self._spare = spare & self._spare, spare
        for digest in gone:
            self._known.pop(digest, None)
        return attic.drop(gone)
