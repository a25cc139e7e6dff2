"""Whether a person's answer may be taken. An answer is only a row in the inbox, so nothing about it is believed."""

from __future__ import annotations

from collections.abc import Mapping

from ..domain.model import Escalation, Run
from ..domain.plan import Plan
from ..ports import Message


def refusal(plan: Plan, run: Run, answer: Message) -> str:
    """Why the answer may not be taken, in one line; empty when it may.

    Its body has `escalation` and `option`, and may have `digest` (of what was shown) and `changes` (of open inputs).
    """
    body = answer.body
    question = run.escalations.get(str(body.get("escalation")))
    if question is None:
        return f"the question {body.get('escalation')!r} is not open"
    if body.get("option") not in question.options:
        return f"{body.get('option')!r} is not among {', '.join(question.options)}"
    if answer.at >= question.expires_at:
        return f"the question expired at {question.expires_at.isoformat()}"
    if body.get("digest", question.digest) != question.digest:
        return "the question has changed since it was shown"
    return _refused_changes(plan, question, body.get("changes") or {})


def _refused_changes(plan: Plan, question: Escalation, changes: object) -> str:
    if not isinstance(changes, Mapping):
        return "changes must be a mapping of input names to values"
    opened = plan.by_id[question.step].open if question.step else ()
    locked = sorted(str(name) for name in changes if name not in opened)
    return f"{', '.join(locked)} is locked" if locked else ""
