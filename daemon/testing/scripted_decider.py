"""A decider that chooses what it is told to, sense or nonsense."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from daemon.domain.actions import Ask
from daemon.domain.guard import by_rule
from daemon.domain.model import Decision, Json, Letter, Run
from daemon.domain.plan import Plan, Step

Choice = Callable[[Step, Ask], Decision]


def agree(step: Step, ask: Ask) -> Decision:
    """What the rule would do."""
    return by_rule(step, ask)


def choose(letter: Letter, *, tool: str = "", inputs: Mapping[str, Json] | None = None) -> Choice:
    """This letter whatever is asked, with another tool or with inputs where they are given."""

    def decision(step: Step, ask: Ask) -> Decision:
        return Decision(letter, tool or step.use, "as the script says", "script", ask.rule, inputs or {})

    return decision


def refuse(step: Step, ask: Ask) -> Decision:
    """A decider that is out of order."""
    raise RuntimeError(f"no answer about {step.id} ({ask.reason})")


class ScriptedDecider:
    """`daemon.ports.Decider`. Takes its choices in turn and agrees with the rule when there are no more."""

    def __init__(self, choices: Iterable[Choice] = (), *, takes_time: bool = False) -> None:
        self.asked: list[Ask] = []
        self._choices = iter(choices)
        self._takes_time = takes_time

    def takes_time(self, job: str) -> bool:  # noqa: ARG002  # the port's shape
        return self._takes_time

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:  # noqa: ARG002  # the port's shape
        self.asked.append(ask)
        return next(self._choices, agree)(plan.by_id[ask.step], ask)
