"""What the decisions of simulated runs take in tokens: from the job's history, or from its model itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from statistics import mean

from daemon.domain.actions import Ask
from daemon.domain.events import Decided, Event
from daemon.domain.model import Decision, Run
from daemon.domain.plan import Plan
from daemon.ports import Decider


def tokens_of(decision: Decision) -> int:
    return decision.tokens_in + decision.tokens_out


def tokens_a_decision(histories: Iterable[Iterable[Event]]) -> float:
    """The mean of those that a model was asked about; 0 where none was."""
    made = [event.decision for events in histories for event in events if isinstance(event, Decided)]
    return mean(found) if (found := [tokens_of(each) for each in made if tokens_of(each)]) else 0.0


class Remembered:
    """A Decider over a model whose answers are cached: each time counts what the question took when it was new."""

    def __init__(self, model: Decider) -> None:
        self._model = model
        self._taken: dict[str, Decision] = {}

    def takes_time(self, job: str) -> bool:
        return self._model.takes_time(job)

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
        made = self._model.decide(plan, ask, run, now)
        if tokens_of(made):
            self._taken[made.prompt] = made
        first = self._taken.get(made.prompt, made)
        return replace(made, tokens_in=first.tokens_in, tokens_out=first.tokens_out, cost=first.cost)
