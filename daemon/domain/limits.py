"""What bounds a whole run: its deadline, its active time, and how many of its steps are at work at once."""

from __future__ import annotations

from datetime import datetime

from .actions import StartAttempt
from .model import Purpose, Run
from .plan import Plan


def over_limit(plan: Plan, run: Run, now: datetime) -> str:
    """Which limit is reached, in words; empty where none is."""
    limits = plan.limits
    if run.active_seconds > limits.active.total_seconds():
        return f"budget exceeded: more than {limits.active} of active time"
    if now >= run_deadline(plan, run):
        return f"budget exceeded: not finished within {limits.deadline}"
    return ""


def run_deadline(plan: Plan, run: Run) -> datetime:
    """When the run is ended whatever it waits for."""
    return (run.started_at or run.queued_at) + plan.limits.deadline


def start(plan: Plan, run: Run, step: str, purpose: Purpose) -> StartAttempt | None:
    """None where as many are at work as may be."""
    flying = sum(1 for other in run.steps.values() if other.attempt)
    return StartAttempt(step, purpose) if flying < plan.limits.parallel else None
