"""When a waiting run wants to be looked at again: a stored time, never a sleeping thread."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from .model import Run


def wake_at(run: Run) -> datetime | None:
    """The earliest back-off or expiry, to be stored; None when the run has ended or something is in flight.

    Whoever carries a run with something in flight keeps its time: a stored one would call for it in vain.
    """
    if run.state.ended or any(step.attempt for step in run.steps.values()):
        return None
    return min(wakes(run), default=None)


def wakes(run: Run) -> Iterator[datetime]:
    """Every instant at which something is due in this run, past ones too."""
    for step in run.steps.values():
        if step.wake_at and not step.attempt:
            yield step.wake_at
    for question in run.escalations.values():
        yield question.expires_at
