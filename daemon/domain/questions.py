"""From what the policy wants to know to a question that a person can answer, once."""

from __future__ import annotations

from datetime import datetime

from .actions import Escalate
from .digests import digest
from .limits import run_deadline
from .model import Escalation, Run
from .plan import Plan


def question(plan: Plan, run: Run, action: Escalate, now: datetime) -> Escalation:
    """It expires before the run does, and its digest names what is being decided."""
    expires = min(now + plan.limits.answer_within, run_deadline(plan, run))
    about = [run.id, action.step, action.question, run.steps[action.step].started]
    return Escalation(
        id=f"{run.id}.{action.step}.q{run.sequence}",
        step=action.step,
        question=action.question,
        options=action.options,
        default=action.default,
        asked_at=now,
        remind_at=now + (expires - now) / 2,
        expires_at=expires,
        digest=digest(about)[:16],
    )
