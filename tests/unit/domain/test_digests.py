"""Digests name things: equal things alike, different things differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from daemon.domain.digests import digest, effect_key, error_digest
from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Run
from daemon.domain.plan import Plan, Step
from daemon.testing.tools import make_plan, make_run

STEP = Step("post", "send", inputs={"to": "#a"})
PLAN = make_plan([STEP, Step("other", "send")])
RUN = make_run(PLAN, datetime(2026, 3, 2, 10, tzinfo=UTC))
INPUTS = {"to": "#a", "text": "hello"}


def key(run: Run = RUN, plan: Plan = PLAN, step: Step = STEP, inputs: dict[str, str] | None = None) -> str:
    return effect_key(plan, run, step, inputs or INPUTS)


@pytest.mark.parametrize(
    "change",
    [
        lambda run: replace(run, epoch=9, version=7, sequence=40),
        lambda run: replace(run, id="another", revision=2),
        lambda run: replace(run, started_at=run.instant + timedelta(hours=5)),
        lambda run: replace(run, instant=run.instant + timedelta(hours=1)),
        lambda run: replace(run, plan="edited"),
    ],
    ids=["resume", "re-run", "late start", "edited schedule", "edited plan"],
)
def test_an_effect_keeps_its_key(change: Callable[[Run], Run]) -> None:
    assert key(change(RUN)) == key()


@pytest.mark.parametrize(
    "change",
    [
        lambda run: replace(run, job="other"),
        lambda run: replace(run, data=replace(run.data, day=date(2026, 2, 1))),
        lambda run: replace(run, send=1),
        lambda run: replace(run, dry_run=True),
    ],
    ids=["job", "data date", "send number", "dry run"],
)
def test_another_effect_has_another_key(change: Callable[[Run], Run]) -> None:
    assert key(change(RUN)) != key()


def test_the_destination_counts_and_the_text_does_not() -> None:
    assert key(inputs={**INPUTS, "text": "other words"}) == key()
    assert key(inputs={**INPUTS, "to": "#b"}) != key()


def test_the_step_counts() -> None:
    assert key(step=PLAN.by_id["other"]) != key()


def test_the_instant_counts_where_several_share_a_date() -> None:
    plan = make_plan([STEP], shares_dates=True)
    later = replace(RUN, instant=RUN.instant + timedelta(hours=1))
    assert key(later, plan) != key(RUN, plan)


def test_the_order_of_keys_does_not_count_and_types_do() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_json_has_no_digest(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        digest({"a": number})


def test_an_error_is_the_same_for_the_same_input_only() -> None:
    failure = Failed(Kind.BAD_DATA, "m")
    assert error_digest(failure, "x") == error_digest(replace(failure, retry_after=3.0), "x")
    assert error_digest(failure, "x") != error_digest(failure, "y")
    assert error_digest(failure, "x") != error_digest(replace(failure, message="n"), "x")
