"""`${...}` references in inputs: a whole-value reference keeps its type, an embedded one makes text.

Before a brace, `$$` stands for one dollar: `$${` is the text `${`. What may be referred to is in ROOTS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from .errors import ClockwrightError
from .model import Json

Key: TypeAlias = str | int
Part: TypeAlias = "str | Reference"

TEXT: Json = {"type": "string"}
DATE: Json = {"type": "string", "format": "date"}
INSTANT: Json = {"type": "string", "format": "date-time"}
NAME = r"[A-Za-z_][A-Za-z0-9_-]*"

_DOLLARS = re.compile(r"(\$+)\{")
_BODY = re.compile(rf"({NAME}(?:\.{NAME}|\[\d{{1,6}}\])*)\}}")
_KEY = re.compile(rf"({NAME})|\[(\d+)\]")


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ROOTS: Mapping[str, Json] = {
    "run": _object(
        id=TEXT,
        due=INSTANT,
        started_at=INSTANT,
        local_date=DATE,
        previous_day=_object(date=DATE, start=INSTANT, end=INSTANT),
        previous_week=_object(first=DATE, last=DATE, start=INSTANT, end=INSTANT),
        previous_month=_object(first=DATE, last=DATE, start=INSTANT, end=INSTANT),
        data=_object(date=DATE, timezone=TEXT, due_local=INSTANT, fold={"type": "integer"}, zone_data=TEXT),
    ),
    "job": _object(id=TEXT, goal=TEXT, description=TEXT, owner=TEXT, runbook=TEXT),
}
"""What a run offers beside its steps, as JSON Schemas; the scope given to `resolve` must hold all of it."""

STEP_FACTS: Mapping[str, Json] = {
    "summary": TEXT,
    "missing": {"type": ["string", "null"]},
    "stale": {"type": ["string", "null"]},
}
"""What every step offers beside `output`; `missing` is the reason why a weak need is not there, else null; `stale` is
what was wanting in the step's source when it was waited for no longer, else null.
"""

EARLIER = "earlier"
"""Root of what an earlier revision of the same run left: `${earlier.STEP.output...}`; null where there is none."""

LOAD_TIME = ("matrix", "env", "settings")
"""Roots that are replaced while the configuration is read and never reach a plan."""


class Unresolved(ClockwrightError):
    """A reference points at nothing; the message names it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """`path[0]` is the root: run, job, steps, or (while loading) matrix, env and settings."""

    path: tuple[Key, ...]

    def __str__(self) -> str:
        head, *tail = self.path
        return "${" + str(head) + "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in tail) + "}"

    @property
    def earlier(self) -> str | None:
        """The step of an earlier revision that it reads, where it reads one."""
        return str(self.path[1]) if self.path[0] == EARLIER and len(self.path) > 1 else None

    @property
    def step(self) -> str | None:
        """The step that it reads, where it reads one."""
        return str(self.path[1]) if self.path[0] == "steps" and len(self.path) > 1 else None


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Part, ...]:
    """Split into literal text and references. Raises ValueError for a `${` that is not a reference."""
    parts: list[Part] = []
    literal, position = "", 0
    while match := _DOLLARS.search(text, position):
        dollars = len(match[1])
        literal += text[position : match.start()] + "$" * (dollars // 2)
        position = match.end()
        if dollars % 2 == 0:
            literal += "{"
            continue
        reference, position = _reference(text, position)
        parts += [literal, reference] if literal else [reference]
        literal = ""
    literal += text[position:]
    return (*parts, literal) if literal or not parts else tuple(parts)


def unparse(parts: Iterable[Part]) -> str:
    """The text that `parse` reads as these parts."""
    written, literal = "", ""
    for part in parts:
        if isinstance(part, Reference):
            dollars = len(literal) - len(literal.rstrip("$"))
            written += _escaped(literal) + "$" * dollars + str(part)
            literal = ""
        else:
            literal += part
    return written + _escaped(literal)


def _escaped(literal: str) -> str:
    return _DOLLARS.sub(lambda match: match[1] * 2 + "{", literal)


def _reference(text: str, position: int) -> tuple[Reference, int]:
    match = _BODY.match(text, position)
    if match is None:
        shown = text[position - 2 : position + 30]
        raise ValueError(f"{shown!r} is not a reference; write ${{steps.ID.output.field}}, or $${{ for a plain ${{")
    return Reference(tuple(_keys(match[1]))), match.end()


def _keys(body: str) -> Iterator[Key]:
    for match in _KEY.finditer(body):
        yield int(match[2]) if match[2] else match[1]


def leaves(template: Json, path: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Json]]:
    """Every scalar of a template with the path to it, depth first."""
    if isinstance(template, Mapping):
        for key, value in template.items():
            yield from leaves(value, (*path, key))
    elif isinstance(template, list | tuple):
        for index, value in enumerate(template):
            yield from leaves(value, (*path, index))
    else:
        yield path, template


def references(template: Json) -> Iterator[Reference]:
    """Every reference in a template, depth first. Raises ValueError."""
    for _, leaf in leaves(template):
        if isinstance(leaf, str):
            yield from (part for part in parse(leaf) if isinstance(part, Reference))


def resolve(template: Json, scope: Mapping[str, Json]) -> Json:
    """The template with every reference replaced from `scope`: `run`, `job` and `steps`.

    `scope["steps"][id]` is a mapping of `output`, `summary` and `missing`. Where `missing` says why a step is not
    there, its output is null as a whole value and the reason within text. Raises Unresolved.
    """
    if isinstance(template, str):
        return _resolve_text(template, scope)
    if isinstance(template, Mapping):
        return {key: resolve(value, scope) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [resolve(value, scope) for value in template]
    return template


def _resolve_text(text: str, scope: Mapping[str, Json]) -> Json:
    parts = parse(text)
    if len(parts) == 1:
        return look_up(parts[0], scope) if isinstance(parts[0], Reference) else parts[0]
    return "".join(_embedded(part, scope) if isinstance(part, Reference) else part for part in parts)


def _embedded(reference: Reference, scope: Mapping[str, Json]) -> str:
    value = look_up(reference, scope)
    if value is None and (reason := _absence(reference, scope)):
        return f"[missing: {reason}]"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def look_up(reference: Reference, scope: Mapping[str, Json]) -> Json:
    """The value at a reference. Raises Unresolved."""
    if reference.earlier and reference.earlier not in scope.get(EARLIER, {}):
        return None
    if reference.path[2:] != ("missing",) and _absence(reference, scope):
        return None
    value: Json = scope
    for key in reference.path:
        value = _descend(value, key, reference)
    return value


def _absence(reference: Reference, scope: Mapping[str, Json]) -> str:
    if reference.step is None:
        return ""
    return str(scope.get("steps", {}).get(reference.step, {}).get("missing") or "")


def _descend(value: Json, key: Key, reference: Reference) -> Json:
    if isinstance(key, int):
        if not isinstance(value, list | tuple) or key >= len(value):
            raise Unresolved(f"{reference} points at nothing: there is no item {key}")
        return value[key]
    if not isinstance(value, Mapping) or key not in value:
        raise Unresolved(f"{reference} points at nothing: there is no {key!r}")
    return value[key]
