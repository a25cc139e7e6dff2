"""The schema of an answer is closed, flat and strict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema

from daemon.domain.answer_schema import answer_schema, open_inputs
from daemon.domain.model import Letter
from daemon.domain.plan import Step
from tests.unit.llm.scene import QUERY, tool

FORBIDDEN = {
    "default",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "$ref",
    "minLength",
}


def made(*allowed: Letter, opened: tuple[str, ...] = ("day", "limit")) -> Any:
    return answer_schema(allowed, Step("s", "query_sales", open=opened), QUERY)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for member in schema.values():
            yield from objects(member)


def test_letter_and_tool_are_enumerations_of_what_is_allowed_now() -> None:
    properties = made(Letter.B, Letter.C)["properties"]
    assert properties["decision"]["enum"] == ["B", "C"]
    assert properties["tool_to_use"]["enum"] == ["query_sales"]


def test_only_open_inputs_are_in_it() -> None:
    assert set(made(Letter.A, opened=("limit",))["properties"]["tool_input"]["properties"]) == {"limit"}


def test_every_object_is_closed_and_requires_all_its_members() -> None:
    for schema in objects(made(*Letter)):
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


def test_nothing_in_it_is_a_keyword_that_servers_refuse() -> None:
    assert not {key for schema in objects(made(*Letter)) for key in schema} & FORBIDDEN


def test_an_optional_input_may_be_null() -> None:
    jsonschema.validate(
        {"reason": "", "decision": "A", "tool_to_use": "query_sales", "tool_input": {"day": None, "limit": 3}},
        made(Letter.A),
    )


def test_an_input_without_a_strict_form_is_not_offered() -> None:
    odd = tool("odd", free={"type": "object"}, union={"anyOf": [{"type": "string"}, {"type": "integer"}]}, any={})
    assert open_inputs(Step("s", "odd", open=("free", "union", "any")), odd) == {}


def test_references_and_choices_are_resolved() -> None:
    spec = tool("odd", way={"$ref": "#/$defs/Way"}, names={"type": "array", "items": {"type": "string"}})
    spec = replace(spec, input_schema={**spec.input_schema, "$defs": {"Way": {"enum": ["up", "down"]}}})
    fields = open_inputs(Step("s", "odd", open=("way", "names")), spec)
    assert fields == {
        "way": {"type": "string", "enum": ["up", "down"]},
        "names": {"type": "array", "items": {"type": "string"}},
    }
