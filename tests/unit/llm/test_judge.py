"""What an answer may do to a step: only the tool that is asked about, only inputs that are open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.domain.actions import Ask
from daemon.domain.answer import Cause, Unusable
from daemon.domain.judge import judge
from daemon.domain.model import Decision, Letter
from daemon.domain.plan import Step
from daemon.domain.snapshot import Situation
from tests.unit.llm.scene import NOW, any_letter, before_first, born, failed, plan_of


def decided(raw: str, situation: Situation | None = None) -> Decision:
    return judge(raw, situation or any_letter())


def note() -> Situation:
    plan = plan_of(Step("n", "write_note", open=("text",)))
    return Situation(plan, born(plan), Ask("n", (Letter.A, Letter.B), Letter.A, ""), NOW)


DAY = {"day": "2026-03-10"}
TAKEN = {
    "object": (DAY, DAY),
    "string of json": (json.dumps(DAY), DAY),
    "twice encoded": (json.dumps(json.dumps(DAY)), DAY),
    "null member": ({**DAY, "limit": None}, DAY),
    "nothing": ({}, {}),
}
REFUSED = {
    "three times encoded": json.dumps(json.dumps(json.dumps(DAY))),
    "python text": "{'day': '2026-03-10'}",
    "bare text": "2026-03-10",
    "list": ["2026-03-10"],
    "null": None,
    "number as text": {**DAY, "limit": "10"},
    "extra argument": {**DAY, "sql": "DROP TABLE orders"},
    "out of range": {"limit": 100_000},
    "a locked input": {"note": "x"},
    "an object where text is wanted": {"day": {"$ref": "x"}},
}


@pytest.mark.parametrize(("given", "taken"), TAKEN.values(), ids=[f"CB-053 {name}" for name in TAKEN])
def test_what_is_validated_is_what_is_run(given: Any, taken: Any) -> None:
    raw = json.dumps({"decision": "B", "tool_to_use": "query_sales", "tool_input": given})
    assert decided(raw).input == taken


@pytest.mark.parametrize("given", REFUSED.values(), ids=[f"CB-053 {name}" for name in REFUSED])
def test_an_input_of_the_wrong_shape_is_refused(given: Any) -> None:
    raw = json.dumps({"decision": "A", "tool_to_use": "query_sales", "tool_input": given})
    with pytest.raises(Unusable):
        decided(raw)


def test_a_text_field_that_looks_like_json_stays_text() -> None:
    """CB-053"""
    raw = json.dumps({"decision": "A", "tool_to_use": "write_note", "tool_input": {"text": '{"a":1}'}})
    assert decided(raw, note()).input == {"text": '{"a":1}'}


INVENTED = ["send_email", "search_files", "", None, "Use query_sales", "one of [query_sales, post_slack]", 7, ["x"]]


@pytest.mark.parametrize("name", INVENTED, ids=[f"CB-055 {name!r}" for name in INVENTED])
def test_a_tool_that_does_not_exist_is_refused_with_the_names_that_do(name: Any) -> None:
    with pytest.raises(Unusable) as refused:
        decided(json.dumps({"decision": "A", "tool_to_use": name, "tool_input": {}}))
    assert refused.value.cause is Cause.UNKNOWN_TOOL


def test_the_refusal_of_an_invented_tool_names_the_allowed_one() -> None:
    with pytest.raises(Unusable, match="unknown tool 'send_email'; allowed: query_sales"):
        decided('{"decision":"A","tool_to_use":"send_email"}')


def test_giving_up_needs_no_tool_and_changes_nothing() -> None:
    decision = decided('{"decision":"C","tool_to_use":null,"tool_input":{"day":"2026-01-01"}}')
    assert (decision.letter, decision.tool, decision.input) == ("C", "query_sales", {})


@pytest.mark.parametrize("letter", ["B", "C"])
def test_before_a_step_only_going_on_is_allowed(letter: str) -> None:
    with pytest.raises(Unusable, match="not among A"):
        decided(json.dumps({"decision": letter}), before_first())


def test_after_a_failure_going_on_is_not_allowed() -> None:
    with pytest.raises(Unusable, match="A is not among B, C"):
        decided('{"decision":"A"}', failed())
