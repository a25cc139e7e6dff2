"""What became of everything that a run was to deliver, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from .model import Run, StepRun, StepState
from .plan import Plan, Step
from .verdict import shortfall


class DeliveryState(StrEnum):
    AWAITED = "awaited"
    DELIVERED = "delivered"
    DEGRADED = "degraded"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    """It may be there; its receiver is being asked, or could not say."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """`where` is a permalink or a path, `reason` why it is not simply delivered, `until` when it is tried again."""

    step: str
    state: DeliveryState
    where: str = ""
    reason: str = ""
    until: datetime | None = None

    @property
    def document(self) -> dict[str, Any]:
        until = self.until and self.until.isoformat()
        return {
            "step": self.step,
            "state": self.state.value,
            "where": self.where,
            "reason": self.reason,
            "until": until,
        }


def deliveries(plan: Plan, run: Run) -> Iterator[Delivery]:
    """One for each step that has an effect on the world, in the plan's order."""
    for step in plan.external():
        yield _delivery(run, step, run.steps.get(step.id, StepRun(step.id)))


def _delivery(run: Run, step: Step, at: StepRun) -> Delivery:
    if at.state is StepState.DONE:
        return _done(step.id, at)
    if at.state is StepState.SKIPPED:
        return Delivery(step.id, DeliveryState.SKIPPED, reason=at.cause)
    if at.unknown:
        return Delivery(step.id, DeliveryState.UNKNOWN, reason=_last(at), until=at.wake_at)
    if at.state is StepState.FAILED:
        return Delivery(step.id, DeliveryState.FAILED, reason=at.cause)
    if run.state.ended:
        never = at.state is not StepState.RUNNING
        return Delivery(step.id, DeliveryState.SKIPPED if never else DeliveryState.FAILED, reason=run.reason)
    return Delivery(step.id, DeliveryState.AWAITED, reason=_last(at), until=at.wake_at)


def _done(step: str, at: StepRun) -> Delivery:
    output = at.output if isinstance(at.output, dict) else {}
    missing = shortfall(at.output)
    state = DeliveryState.DEGRADED if missing else DeliveryState.DELIVERED
    where = str(output.get("location") or "")
    return Delivery(step, state, where, missing or ("" if where else at.summary))


def _last(at: StepRun) -> str:
    return at.failure.message if at.failure else ""
