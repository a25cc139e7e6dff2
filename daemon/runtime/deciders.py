"""Deciders that need nothing but the question, and the guard around any decider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..domain.guard import by_rule, objection
from ..domain.model import Decision, Run
from ..domain.plan import Plan
from ..domain.policy import Ask
from ..ports import Decider


@dataclass(frozen=True, slots=True)
class RuleDecider:
    """The embedded default: deterministic, no network. It chooses what the policy would do without it."""

    prompt: bool = False

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:  # noqa: ARG002  # the port's shape
        return by_rule(plan.by_id[ask.step], ask)


def decide(decider: Decider, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
    """A decision that the plan allows: the decider's own, or the rule's with the reason why."""
    step = plan.by_id[ask.step]
    decision = decider.decide(plan, ask, run, now)
    if reason := objection(step, ask, decision):
        return by_rule(step, ask, because=f"the answer of {decision.by} was refused: {reason}")
    return decision
