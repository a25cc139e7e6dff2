"""Which inputs of a step a person may change, and what they are now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..domain.model import Json, Run
from ..domain.plan import Plan
from ..ports import Store
from .plans import Plans


class OpenInputs:
    """`resolved` gives the inputs that a step of a run would have now."""

    def __init__(self, store: Store, plans: Plans, resolved: Callable[[Plan, Run, str], Json]) -> None:
        self._store = store
        self._plans = plans
        self._resolved = resolved

    def names(self, run_id: str, question: str) -> tuple[str, ...]:
        """Empty where the question is not open, or nothing is."""
        return tuple(self.values(run_id, question))

    def values(self, run_id: str, question: str) -> Mapping[str, Json]:
        try:
            run = self._store.load(run_id)
        except KeyError:
            return {}
        asked = run.escalations.get(question)
        if asked is None or asked.step is None:
            return {}
        plan = self._plans.get(run.plan)
        inputs = self._resolved(plan, run, asked.step)
        return {name: inputs.get(name) for name in plan.by_id[asked.step].open}
