"""The compiler's own promises: what it adds to a plan, and what its digest covers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.domain.compiler import compile_plan
from daemon.domain.draft import Draft, Refused, Toolbox
from daemon.domain.plan import Decide, Plan, Repair, Step
from tests.unit.config.workshop import CHART, QUERY, SEND, TOOLS

TOOLBOX = Toolbox(TOOLS, secrets=frozenset({"token", "spare"}))
COUNT = Step("count", "query", inputs={"date": "${run.local_date}"})
PICTURE = Step("picture", "chart", inputs={"rows": "${steps.count.output.rows}"})
TELL = Step("tell", "send", inputs={"channel": "c", "text": "t"})


def build(*steps: Step, **facts: object) -> Plan:
    return compile_plan(replace(Draft("daily", "Tell", steps), **facts), TOOLBOX)  # type: ignore[arg-type]  # any field


def refusals(*steps: Step) -> list[str]:
    with pytest.raises(Refused) as refused:
        build(*steps)
    return [refusal.message for refusal in refused.value.refusals]


def test_a_step_that_is_read_is_needed_without_being_listed() -> None:
    assert build(COUNT, PICTURE).by_id["picture"].needs == ("count",)


def test_a_step_that_is_read_weakly_stays_weak() -> None:
    tell = replace(TELL, needs_weak=("picture",), inputs={**TELL.inputs, "chart": "${steps.picture.output.chart}"})

    step = build(COUNT, PICTURE, tell).by_id["tell"]

    assert (step.needs, step.needs_weak) == ((), ("picture",))


def test_what_may_be_missing_must_not_feed_an_input_that_takes_no_null() -> None:
    tell = replace(TELL, needs_weak=("picture",), inputs={"channel": "c", "text": "${steps.picture.output.alt}"})

    assert refusals(COUNT, PICTURE, tell) == [
        "${steps.picture.output.alt} does not fit: it may be null, wanted is text"
    ]


def test_the_reason_for_what_is_missing_may_be_null_even_when_the_need_is_strong() -> None:
    tell = replace(TELL, inputs={"channel": "c", "text": "${steps.count.missing}"})

    assert "it may be null" in refusals(COUNT, tell)[0]


def test_a_list_of_references_is_checked_item_by_item() -> None:
    good = replace(TELL, inputs={**TELL.inputs, "tags": ["a", "${steps.count.summary}"]})
    bad = replace(TELL, inputs={**TELL.inputs, "tags": ["a", "${steps.count.output.rows}"]})

    assert build(COUNT, good).by_id["tell"].needs == ("count",)
    assert refusals(COUNT, bad) == ["${steps.count.output.rows} does not fit: it is a whole number, wanted is text"]


def test_a_step_has_its_tools_timeout_and_secrets_unless_it_says_otherwise() -> None:
    own = build(TELL).by_id["tell"]
    renamed = build(replace(TELL, secrets={"token": "spare"}), timeouts={0: timedelta(seconds=5)}).by_id["tell"]

    assert (own.timeout, own.secrets) == (SEND.timeout, {"token": "token"})
    assert (renamed.timeout, renamed.secrets) == (timedelta(seconds=5), {"token": "spare"})


def test_a_plan_holds_the_contracts_it_was_checked_against_and_no_others() -> None:
    repaired = replace(COUNT, repair=Repair("chart", {"rows": 1}))

    assert build(repaired).tools == {"query": QUERY, "chart": CHART}


def test_the_inputs_of_a_repair_are_checked_too() -> None:
    assert refusals(replace(COUNT, repair=Repair("chart", {"rows": "one"}))) == ["'one' is not of type 'number'"]


def test_a_circle_is_printed_in_the_order_of_needs() -> None:
    one, two = replace(COUNT, needs=("picture",)), PICTURE

    assert refusals(one, two)[0] in {
        "steps need each other in a circle: count -> picture -> count",
        "steps need each other in a circle: picture -> count -> picture",
    }


def test_two_steps_with_one_id_are_refused() -> None:
    assert refusals(COUNT, COUNT) == ["two steps have the id 'count'"]


def test_equal_plans_have_equal_digests_wherever_the_tools_lie() -> None:
    moved = Toolbox({**TOOLS, "query": replace(QUERY, path="/elsewhere/query.py")})

    assert build(COUNT).digest == compile_plan(Draft("daily", "Tell", (COUNT,)), moved).digest


@pytest.mark.parametrize(
    "facts", [{"goal": "Say"}, {"decide": Decide.ALWAYS}, {"shares_dates": True}, {"timeouts": {0: timedelta(1e-4)}}]
)
def test_a_plan_that_says_something_else_has_another_digest(facts: dict[str, object]) -> None:
    assert build(COUNT, **facts).digest != build(COUNT).digest


def test_a_changed_tool_gives_another_digest() -> None:
    changed = Toolbox({**TOOLS, "query": replace(QUERY, digest="new")})

    assert build(COUNT).digest != compile_plan(Draft("daily", "Tell", (COUNT,)), changed).digest
