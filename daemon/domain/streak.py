"""When a job has failed too often in a row to be left to itself."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from .model import RunState
from .pause import Pause

MOST_FAILURES = 3
"""Failed runs in a row after which a job is paused and a person is asked."""


DAEMON = "clockwright"
"""Who pauses a job where no person does."""


def why_paused(failures: int) -> str:
    return f"it has failed {failures} times in a row"


def paused_for_failing(pause: Pause) -> bool:
    """Whether it is the daemon's own pause of a job that fails run after run."""
    return pause.by == DAEMON and pause.why.startswith("it has failed")


def failures_in_a_row(states: Iterable[RunState]) -> int:
    """Of a job's runs, newest first. One that has not ended, or that a person cancelled, says nothing."""
    telling = (state for state in states if state.ended and state is not RunState.CANCELLED)
    return sum(1 for _ in takewhile(lambda state: state is RunState.FAILED, telling))
