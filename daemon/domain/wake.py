"""When a waiting run wants to be looked at again: a stored time, never a sleeping thread."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from .model import Run


def wake_at(run: Run) -> datetime | None:
    """The earliest back-off or expiry of a run that has not ended, or None when it waits for nothing."""
    return None if run.state.ended else min(_instants(run), default=None)


def _instants(run: Run) -> Iterator[datetime]:
    for step in run.steps.values():
        if step.wake_at and not step.attempt:
            yield step.wake_at
    for question in run.escalations.values():
        yield question.expires_at
