"""What decides, as one value: the pure functions that a driver calls. The simulation plants bugs through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from ..domain.actions import Action, Ask
from ..domain.events import Event
from ..domain.fold import fold
from ..domain.model import Decision, Run
from ..domain.plan import Plan
from ..domain.policy import next_action
from ..ports import Decider
from .deciders import decide

Fold: TypeAlias = Callable[[Plan, Run, Event], Run]
NextAction: TypeAlias = Callable[[Plan, Run, datetime], Action]
Decide: TypeAlias = Callable[[Decider, Plan, Ask, Run, datetime], Decision]


@dataclass(frozen=True, slots=True)
class Rules:
    """The product's own; only a test has a reason to pass others."""

    fold: Fold = fold
    next_action: NextAction = next_action
    decide: Decide = decide
