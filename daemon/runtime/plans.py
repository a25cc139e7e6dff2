"""Compiled plans by digest: stored once, read back for every run that follows them."""

from __future__ import annotations

from ..domain.codec import from_plain, to_plain
from ..domain.plan import Plan
from ..ports import Store


class Plans:
    """A cache over the store; a plan never changes under its digest."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Plan] = {}

    def keep(self, plan: Plan) -> None:
        """Store the plan if it is new. Called before a run that follows it is created."""
        if plan.digest not in self._known:
            self._store.save_plan(plan.digest, to_plain(plan))
            self._known[plan.digest] = plan

    def get(self, digest: str) -> Plan:
        if digest not in self._known:
            self._known[digest] = from_plain(Plan, self._store.load_plan(digest))
        return self._known[digest]
