"""After a failure a decider chooses among what the plan holds ready, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from daemon.domain.actions import Ask, FailStep, SkipStep
from daemon.domain.defaults import Retry
from daemon.domain.errors import Kind
from daemon.domain.events import Decided
from daemon.domain.fold import fold
from daemon.domain.guard import by_rule
from daemon.domain.model import Failed, Letter
from daemon.domain.plan import Exhausted
from daemon.domain.policy import next_action
from daemon.domain.snapshot import Situation
from tests.unit.llm.scene import NOW, asked, attempted, born, chain, failed


def allowed(situation: Situation) -> str:
    return "".join(situation.ask.allowed)


@pytest.mark.parametrize("kind", [Kind.DENIED, Kind.MISCONFIGURED, Kind.BUDGET_EXCEEDED])
def test_a_final_failure_can_only_be_given_up(kind: Kind) -> None:
    assert allowed(failed(kind, "no")) == "C"


def test_a_final_failure_of_an_optional_step_can_be_gone_on_without() -> None:
    assert allowed(failed(Kind.DENIED, "no", chain(2, optional=True))) == "AC"
    assert allowed(failed(Kind.DENIED, "no", chain(2, on_exhausted=Exhausted.SKIP))) == "AC"


def test_a_failure_that_can_still_be_retried_is_not_gone_on_without() -> None:
    assert allowed(failed(Kind.TRANSIENT, "locked", chain(2, optional=True))) == "BC"


def test_bad_data_leaves_the_choice_open_while_attempts_remain() -> None:
    assert allowed(failed(Kind.BAD_DATA, "no rows")) == "BC"
    assert allowed(failed(Kind.BAD_DATA, "no rows", chain(2, retry=Retry(attempts=1)))) == "C"


@pytest.mark.parametrize(
    ("how", "what"), [({"optional": True}, FailStep), ({"on_exhausted": Exhausted.SKIP}, SkipStep)]
)
def test_going_on_without_a_step_ends_it_and_asks_nobody(how: dict[str, Any], what: type) -> None:
    situation = failed(Kind.DENIED, "no", chain(2, **how))
    decision = replace(by_rule(situation.step, situation.ask), letter=Letter.A)
    run = fold(situation.plan, situation.run, Decided(NOW, "s0", decision))
    assert isinstance(next_action(situation.plan, run, NOW), what)


def test_attempts_end_the_choice_of_a_model_too() -> None:
    plan = chain(1, retry=Retry(attempts=3, first=timedelta(seconds=1)))
    run = born(plan)
    letters = []
    for n in range(3):
        situation = asked(plan, attempted(plan, run, "s0", Failed(Kind.BAD_DATA, f"other rows {n}")))
        letters.append(allowed(situation))
        run = situation.run
        if Letter.B in situation.ask.allowed:
            decision = replace(by_rule(situation.step, situation.ask), letter=Letter.B)
            run = fold(plan, run, Decided(NOW, "s0", decision))
    assert letters == ["BC", "BC", "C"]
    assert isinstance(next_action(plan, run, NOW), Ask)
