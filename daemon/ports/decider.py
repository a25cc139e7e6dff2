"""Whoever chooses what happens next."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from ..domain.actions import Ask
from ..domain.model import Decision, Run
from ..domain.plan import Plan


class Decider(Protocol):
    """Chooses A, B or C."""

    def takes_time(self, job: str) -> bool:
        """It does I/O for this job, so what is known so far is committed before it is asked."""
        ...

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision: ...
