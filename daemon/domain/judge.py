"""From an answer to a decision that the plan allows, or to the reason why there is none."""

from __future__ import annotations

from .answer import Answer, Cause, Unusable, parse
from .answer_schema import input_fault
from .guard import objection
from .model import Decision, Letter
from .snapshot import Situation


def judge(raw: str, situation: Situation) -> Decision:
    """What the answer decides, by `model`. Raises Unusable, with a message fit for a repair question."""
    answer = parse(raw)
    step, ask = situation.step, situation.ask
    _expect_tool(answer, step.use)
    if fault := input_fault(answer.input, step, situation.plan.tool(step)):
        raise Unusable(Cause.NOT_ALLOWED, fault)
    changes = {name: value for name, value in answer.input.items() if value is not None}
    decision = Decision(
        letter=answer.letter,
        tool=step.use,
        reason=answer.reason,
        by="model",
        rule=ask.rule,
        input=changes if answer.letter is not Letter.C else {},
    )
    if reason := objection(step, ask, decision):
        raise Unusable(Cause.NOT_ALLOWED, reason)
    return decision


def _expect_tool(answer: Answer, use: str) -> None:
    """Left out it can only be the one tool; named wrongly, or named as nothing, it is an invention."""
    if answer.letter is Letter.C or answer.tool in (None, use):
        return
    raise Unusable(Cause.UNKNOWN_TOOL, f"unknown tool {str(answer.tool)[:60]!r}; allowed: {use}")
