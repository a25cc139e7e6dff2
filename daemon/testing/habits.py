"""How the steps of a job behave: how long an attempt takes, how often and how it fails. From its own history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from daemon.domain.errors import RULES, Kind
from daemon.domain.events import AttemptEnded, AttemptStarted, Event
from daemon.domain.model import Attempt, Failed, Purpose
from daemon.domain.plan import Plan
from daemon.ports import Call

from .faults import Dice
from .plays import Play, fail, hang, lose_answer, succeed

USUAL = (0.2, 0.5, 1.0, 2.0)
"""Seconds of an attempt of which nothing is known."""
FAILING = 0.05
"""Share of failing attempts where nothing is known."""
KINDS = (Kind.TRANSIENT, Kind.TRANSIENT, Kind.TRANSIENT, Kind.TIMEOUT, Kind.CRASHED, Kind.BAD_DATA)
ENOUGH = 20
"""Attempts from which a step's own share of failures is believed."""


@dataclass(frozen=True, slots=True)
class Habit:
    """Of one step. `failing` is the share of its attempts; `known` how many attempts say so."""

    seconds: tuple[float, ...] = USUAL
    failing: float = FAILING
    kinds: tuple[Kind, ...] = KINDS
    known: int = 0


@dataclass
class _Seen:
    seconds: list[float] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)

    @property
    def habit(self) -> Habit:
        known = len(self.seconds) + len(self.kinds)
        failing = len(self.kinds) / known if known >= ENOUGH else FAILING
        return Habit(tuple(self.seconds) or USUAL, failing, tuple(self.kinds) or KINDS, known)


def habits(plan: Plan, histories: Iterable[Iterable[Event]]) -> Mapping[str, Habit]:
    """By step, from the events of earlier runs."""
    seen: defaultdict[str, _Seen] = defaultdict(_Seen)
    for events in histories:
        begun: dict[tuple[str, int], Attempt] = {}
        for event in events:
            if isinstance(event, AttemptStarted):
                begun[event.step, event.attempt.number] = event.attempt
            elif isinstance(event, AttemptEnded) and (attempt := begun.get((event.step, event.number))):
                _note(seen[event.step], attempt, event)
    return {step.id: seen[step.id].habit for step in plan.steps}


def _note(seen: _Seen, attempt: Attempt, ended: AttemptEnded) -> None:
    if attempt.purpose is not Purpose.RUN:
        return
    if not isinstance(ended.outcome, Failed):
        seen.seconds.append(max(0.001, (ended.at - attempt.started_at).total_seconds()))
    elif ended.outcome.kind is not Kind.INTERRUPTED:
        seen.kinds.append(ended.outcome.kind)


def unsettled(known: Mapping[str, Habit], failing: float | None) -> Mapping[str, Habit]:
    """The same habits with another share of failures, where one is given."""
    return known if failing is None else {step: replace(habit, failing=failing) for step, habit in known.items()}


class HabitualCast:
    """The tools of one job as actors that act as they are used to."""

    def __init__(self, dice: Dice, plan: Plan, known: Mapping[str, Habit]) -> None:
        self._dice = dice
        self._plan = plan
        self._known = known

    def __call__(self, call: Call) -> Play:
        step = call.id.rsplit(".", 2)[-2]
        habit, dice = self._known[step], self._dice
        seconds = dice.pick(habit.seconds)
        if call.purpose is not Purpose.RUN or not dice.happens(habit.failing):
            return succeed({}, seconds=seconds)
        kind = dice.pick(habit.kinds)
        # Only such an end leaves it open whether the receiver has it; any other says that nothing was sent.
        if RULES[kind].unknown and self._plan.is_external(self._plan.by_id[step]) and dice.happens(0.5):
            return lose_answer(kind, seconds=seconds)
        return hang() if kind is Kind.TIMEOUT else fail(kind, seconds=seconds)

    def fatal(self, call: Call) -> bool:  # noqa: ARG002 - what takes the daemon down is the faults' business
        return False
