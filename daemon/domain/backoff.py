"""How long to wait before the next try."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from math import isfinite

from tenacity import RetryCallState, wait_exponential

from .defaults import Retry
from .model import Failed, StepRun

LONGEST = timedelta(days=365).total_seconds()
"""Longer than any run may last."""


def delay(run: str, retry: Retry, step: StepRun, failure: Failed) -> timedelta:
    """As the other side asked, else exponential and capped, jittered by up to a fifth.

    The jitter comes from a digest of the attempt's identity: runs spread out, and a replay waits the same.
    """
    asked = timedelta(seconds=_seconds(failure.retry_after))
    own = _exponential(retry, step.tries) * (1 - 0.2 * _fraction(run, step))
    return max(asked, own)


def _seconds(asked: float | None) -> float:
    """What came from the other side is not believed beyond reason."""
    return min(max(asked, 0.0), LONGEST) if asked and isfinite(asked) else 0.0


def _exponential(retry: Retry, tries: int) -> timedelta:
    wait = wait_exponential(multiplier=retry.first.total_seconds(), max=retry.cap.total_seconds())
    state = RetryCallState(retry_object=None, fn=None, args=(), kwargs={})  # type: ignore[arg-type]  # only the number is read
    state.attempt_number = max(tries, 1)
    return timedelta(seconds=wait(state))


def _fraction(run: str, step: StepRun) -> float:
    """Between 0 and 1, fixed by run, step and try."""
    seed = hashlib.sha256(f"{run}/{step.step}/{step.started}".encode()).digest()
    return int.from_bytes(seed[:4], "big") / 2**32
