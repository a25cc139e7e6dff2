"""A tool's contract, checked on the daemon's side: what goes in and what comes out is JSON of the declared shape."""

from __future__ import annotations

from typing import Literal

import jsonschema

from ..domain.model import Json
from ..domain.tool import ToolSpec

MESSAGE_CHARS = 300

_validators: dict[tuple[str, str, str], jsonschema.Draft202012Validator] = {}
"""By tool, its digest and the side: a tool that changes gets a validator of its own."""


def check_input(tool: ToolSpec, value: Json) -> str:
    """Why `value` is not an input of `tool`, in one line; empty when it is."""
    return _check(tool, "input", tool.input_schema, value)


def check_output(tool: ToolSpec, value: Json) -> str:
    return _check(tool, "output", tool.output_schema, value)


def _check(tool: ToolSpec, side: Literal["input", "output"], schema: Json, value: Json) -> str:
    key = (tool.name, tool.digest, side)
    if key not in _validators:
        _validators[key] = jsonschema.Draft202012Validator(schema)
    error = next(_validators[key].iter_errors(value), None)
    if error is None:
        return ""
    return f"{error.json_path.removeprefix('$.')}: {error.message[:MESSAGE_CHARS]}"
