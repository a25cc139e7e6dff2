"""The last word on a decision, whoever made it: it may only choose what the plan allows now."""

from __future__ import annotations

from .actions import Ask
from .digests import digest
from .model import Decision, Letter
from .plan import Step


def by_rule(step: Step, ask: Ask, *, because: str = "") -> Decision:
    """The deterministic choice, recorded like any other."""
    reason = f"{ask.reason}; {because}" if because else ask.reason
    return Decision(letter=ask.rule, tool=step.use, reason=reason, by="rule", rule=ask.rule)


def objection(step: Step, ask: Ask, decision: Decision) -> str:
    """Why the decision may not be taken, in one line; empty when it may."""
    if decision.letter not in ask.allowed:
        return f"{decision.letter} is not among {', '.join(ask.allowed)}"
    if decision.letter is not Letter.C and decision.tool != step.use:
        return f"{decision.tool!r} is not the tool of this step, {step.use!r}"
    if locked := set(decision.input) - set(step.open):
        return f"{', '.join(sorted(locked))} is locked"
    return _not_json(decision)


def _not_json(decision: Decision) -> str:
    try:
        digest(dict(decision.input))
    except (TypeError, ValueError) as error:
        return f"its input is not plain JSON: {error}"
    return ""
