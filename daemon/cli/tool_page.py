"""Writes docs/tools.md from the contracts of the shipped tools: `python -m daemon.cli.tool_page > docs/tools.md`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..domain import times
from ..domain.tool import ToolSpec
from ..registry import discover
from .schema_table import Schema, fields

HEAD = """# Tools

What is shipped, made from the tools' own contracts: `python -m daemon.cli.tool_page > docs/tools.md`. The same of every
tool that a configuration finds: `clockwright tools list`, `clockwright tools show NAME`; one alone in the real sandbox:
`clockwright tools try NAME --input JSON`. [Write your own](writing-a-tool.md).

`effect` says what a crash allows: `none` may be repeated, `idempotent` may be repeated with the same key, `external` is
looked up at its receiver first. An `Artifact` is a file by reference, as an earlier step gave it.
"""


def page(specs: Iterable[ToolSpec]) -> str:
    parts = [HEAD, *(line for spec in specs for line in _part(spec))]
    return "\n".join(parts).rstrip() + "\n"


def _part(spec: ToolSpec) -> Iterator[str]:
    yield f"## {spec.name}\n"
    yield f"{spec.description}\n"
    yield f"Effect `{spec.effect.value}`, at most {times.length(spec.timeout.total_seconds())}{_secrets(spec)}.\n"
    yield from _schema("input", spec.input_schema)
    yield from _schema("output", spec.output_schema)


def _secrets(spec: ToolSpec) -> str:
    said = [f"`{name}`{' (optional)' if name in spec.optional_secrets else ''}" for name in spec.secrets]
    return f", secrets {', '.join(said)}" if said else ""


def _schema(title: str, schema: Schema) -> Iterator[str]:
    yield from _table(title, schema)
    for name, inner in schema.get("$defs", {}).items():
        if name != "Artifact" and inner.get("properties"):
            yield f"`{name}`: {' '.join(inner.get('description', 'a part of the above.').split())}\n"
            yield from _table(name, inner)


def _table(title: str, schema: Schema) -> Iterator[str]:
    yield f"| {title} | type | default | what it is |\n|---|---|---|---|"
    for name, kind, needed, what in fields(schema):
        default = "needed" if needed else _default(schema["properties"][name])
        yield f"| `{name}` | {_cell(kind)} | {_cell(default)} | {_cell(what)} |"
    yield ""


def _default(field: Schema) -> str:
    value = field.get("default")
    return "" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def shipped() -> list[ToolSpec]:
    return sorted(discover(()).tools.values(), key=lambda spec: spec.name)


if __name__ == "__main__":
    print(page(shipped()), end="")
