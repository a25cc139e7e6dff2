"""The answer's schema, made for each call from what is allowed at that moment: flat, strict, closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import jsonschema

from .model import Json, Letter
from .plan import Step
from .quota import size
from .tool import ToolSpec

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_DEPTH: Final = 3


def answer_schema(allowed: Iterable[Letter], step: Step, tool: ToolSpec) -> Json:
    """Strict JSON Schema of one answer. The reason comes first, so that it is thought of before the letter."""
    fields = open_inputs(step, tool)
    members = {
        "reason": {"type": "string"},
        "decision": {"type": "string", "enum": [letter.value for letter in allowed]},
        "tool_to_use": {"type": "string", "enum": [step.use]},
        "tool_input": _closed({name: _nullable(schema) for name, schema in fields.items()}),
    }
    return _closed(members)


def open_inputs(step: Step, tool: ToolSpec) -> dict[str, Json]:
    """The inputs that the plan leaves open and that a strict schema can describe, by name."""
    properties = tool.input_schema.get("properties", {})
    simple = {name: _simple(properties[name], tool.input_schema, _DEPTH) for name in step.open if name in properties}
    return {name: schema for name, schema in simple.items() if schema is not None}


def schema_bytes(step: Step, tool: ToolSpec) -> int:
    """The most that the schema of an answer about this step can take."""
    return size(answer_schema(tuple(Letter), step, tool))


def input_fault(value: Json, step: Step, tool: ToolSpec) -> str:
    """Why `value` may not be laid over the step's inputs, in one line; empty when it may. Null leaves a field alone."""
    if not isinstance(value, dict):
        return f"tool_input must be an object, not {type(value).__name__}"
    offered = open_inputs(step, tool)
    if closed := sorted(map(str, set(value) - set(offered))):
        return f"{', '.join(closed)[:80]} may not be set; open inputs: {', '.join(offered) or 'none'}"
    for name, given in value.items():
        if given is not None and (fault := _field_fault(given, name, tool)):
            return f"{name}: {fault}"
    return ""


def _field_fault(given: Json, name: str, tool: ToolSpec) -> str:
    """The tool's own schema of the field, with all its limits, and the definitions it refers to."""
    root = tool.input_schema
    schema = {"$defs": root.get("$defs", {}), **root["properties"][name]}
    error = next(jsonschema.Draft202012Validator(schema).iter_errors(given), None)
    return error.message[:200] if error else ""


def _closed(members: dict[str, Json]) -> Json:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _nullable(schema: Json) -> Json:
    """Strict schemas know no optional members: null says that the field stays as it is."""
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable


def _simple(schema: Json, root: Json, depth: int) -> Json:
    """The schema in the subset that strict servers take; None where it has no such form."""
    schema = _resolved(schema, root)
    if depth == 0 or not isinstance(schema, dict):
        return None
    kind = schema.get("type") or _kind_of(schema.get("enum"))
    if kind == "array":
        items = _simple(schema.get("items"), root, depth - 1)
        return None if items is None else {"type": "array", "items": items}
    if kind not in _SCALARS:
        return None
    return {"type": kind, **({"enum": schema["enum"]} if "enum" in schema else {})}


def _resolved(schema: Json, root: Json) -> Json:
    """Through a reference to a definition, and through `X or null`."""
    for _ in range(_DEPTH):
        if not isinstance(schema, dict):
            return None
        if reference := schema.get("$ref"):
            schema = root.get("$defs", {}).get(str(reference).removeprefix("#/$defs/"))
        elif options := [o for o in schema.get("anyOf", ()) if o != {"type": "null"}]:
            schema = options[0] if len(options) == 1 else None
        else:
            return schema
    return None


def _kind_of(values: Json) -> str | None:
    return "string" if values and all(isinstance(value, str) for value in values) else None
