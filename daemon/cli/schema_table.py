"""A JSON Schema as rows for people: name, type, whether it is needed, what it is."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def fields(schema: Schema) -> list[tuple[str, str, str, str]]:
    needed = schema.get("required", [])
    return [
        (name, type_of(field), "yes" if name in needed else "", " ".join(field.get("description", "").split()))
        for name, field in schema.get("properties", {}).items()
    ]


def type_of(field: Schema) -> str:
    """A short name for a JSON Schema type."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "enum" in field or "const" in field:
        return " | ".join(map(str, field.get("enum", [field.get("const")])))
    if choices := field.get("anyOf") or field.get("oneOf"):
        return " | ".join(map(type_of, choices))
    if field.get("type") == "array":
        return f"list of {type_of(field.get('items', {}))}"
    return str(field.get("format") or field.get("type", "anything"))
