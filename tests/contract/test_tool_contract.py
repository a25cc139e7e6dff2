"""One suite over every shipped tool: what a file in the tool folder may be relied on for."""

from __future__ import annotations

from functools import cache
from typing import get_type_hints

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from atomic_tools._contract import Effect, Tool, ToolInput, ToolOutput
from daemon.adapters.sandbox import toolbox

NAMES = [path.stem for path in toolbox.sources(toolbox.SHIPPED)]

pytestmark = pytest.mark.parametrize("name", NAMES)


@cache
def shipped(name: str) -> Tool:
    return toolbox.load(name)


def test_the_description_is_one_line_that_says_something(name: str) -> None:
    assert 10 <= len(shipped(name).description) <= 300
    assert "\n" not in shipped(name).description


def test_both_schemas_are_json_schema_and_closed(name: str) -> None:
    tool = shipped(name)
    for schema in (
        tool.input_type.model_json_schema(),
        tool.output_type.model_json_schema(mode="serialization"),
    ):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False


def test_every_input_field_is_described(name: str) -> None:
    fields = shipped(name).input_type.model_fields
    assert not [field for field, info in fields.items() if not info.description]


def test_an_unknown_input_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="no_such_field"):
        shipped(name).input_type.model_validate({"no_such_field": 1})


def test_input_and_output_are_frozen(name: str) -> None:
    tool = shipped(name)
    assert tool.input_type.model_config["frozen"]
    assert tool.output_type.model_config["frozen"]


def test_the_summary_is_the_outputs_own(name: str) -> None:
    assert shipped(name).output_type.summary is not ToolOutput.summary
    assert get_type_hints(shipped(name).output_type.summary)["return"] is str


def test_an_external_tool_can_be_asked_and_says_where_it_lands(name: str) -> None:
    tool = shipped(name)
    if tool.effect is Effect.EXTERNAL:
        assert tool.reconcile is not None
        assert tool.destination
    assert set(tool.destination) <= set(tool.input_type.model_fields)


def test_the_timeout_is_positive_and_the_version_is_named(name: str) -> None:
    assert 0 < shipped(name).timeout.total_seconds() <= 3600
    assert shipped(name).version


def test_the_input_type_is_the_tools_own(name: str) -> None:
    assert issubclass(shipped(name).input_type, ToolInput)
    assert shipped(name).input_type is not ToolInput
