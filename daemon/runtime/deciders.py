"""Deciders that need nothing but the question, and the guard around any decider."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from ..domain.actions import Ask
from ..domain.guard import by_rule, objection
from ..domain.model import Decision, Run
from ..domain.plan import Plan
from ..ports import Decider, StoreError


@dataclass(frozen=True, slots=True)
class RuleDecider:
    """The embedded default: deterministic, no network. It chooses what the policy would do without it."""

    def takes_time(self, job: str) -> bool:  # noqa: ARG002  # the port's shape
        return False

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:  # noqa: ARG002  # the port's shape
        return by_rule(plan.by_id[ask.step], ask)


def decide(decider: Decider, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
    """A decision that the plan allows: the decider's own, or the rule's with the reason why."""
    step = plan.by_id[ask.step]
    try:
        decision = decider.decide(plan, ask, run, now)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001  # no decider, no network: the run still finishes, by rule
        return by_rule(step, ask, because=f"the decider failed: {type(error).__name__}: {error}")
    if reason := objection(step, ask, decision):
        return by_rule(step, ask, because=f"the answer of {decision.by} was refused: {reason}")
    # What the rule would have done is ours to say: it tells a dispute from an agreement.
    return decision if decision.rule is ask.rule else replace(decision, rule=ask.rule)
