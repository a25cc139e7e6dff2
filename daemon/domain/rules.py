"""The acceptance rules one by one: each takes a value and the rule's argument and gives a reason, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from .model import Json
from .schemas import ALL_TYPES, type_of

Rule: TypeAlias = Callable[[Json, Json], str]

_TYPE: Json = {"enum": sorted(ALL_TYPES)}
_COUNT: Json = {"type": "integer", "minimum": 0}
_BOUND: Json = {"type": ["number", "string"], "pattern": r"^-?\d+(\.\d+)?$"}
_TEXT: Json = {"type": "string", "minLength": 1}
ARGUMENTS: Mapping[str, Json] = {
    "schema": {"type": ["object", "boolean"]},
    "required": {"type": "array", "items": _TEXT, "minItems": 1},
    "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1}]},
    "length": _COUNT,
    "min_length": _COUNT,
    "max_length": _COUNT,
    "min": _BOUND,
    "max": _BOUND,
    "contains": {},
    "forbids": {},
    "regex": _TEXT,
    "equals": {},
    "expression": _TEXT,
}
"""Every rule with the JSON Schema of its argument."""


def _schema(value: Json, schema: Json) -> str:
    error = best_match(Draft202012Validator(schema).iter_errors(value))
    return "" if error is None else f"{error.json_path.removeprefix('$')} {error.message}"[:300].strip()


def _required(value: Json, names: Json) -> str:
    if not isinstance(value, Mapping):
        return f"it is {type_of(value)}, so it has no keys"
    lacking = [name for name in names if name not in value]
    return f"it lacks {', '.join(map(repr, lacking))}" if lacking else ""


def _type(value: Json, wanted: Json) -> str:
    types = {type_of(value)} | ({"number"} if type_of(value) == "integer" else set())
    allowed = {wanted} if isinstance(wanted, str) else set(wanted)
    return "" if types & allowed else f"it is {type_of(value)}, wanted is {' or '.join(sorted(allowed))}"


def _length(test: Callable[[int, int], bool], words: str) -> Rule:
    def rule(value: Json, limit: Json) -> str:
        if not isinstance(value, str | list | Mapping):
            return f"it is {type_of(value)}, so it has no length"
        return "" if test(len(value), limit) else f"its length is {len(value)}, wanted is {words} {limit}"

    return rule


def _bound(test: Callable[[Decimal, Decimal], bool], words: str) -> Rule:
    def rule(value: Json, limit: Json) -> str:
        number = _number(value)
        if number is None:
            return f"it is {type_of(value)} {_show(value)}, so it has no size"
        return "" if test(number, Decimal(str(limit))) else f"it is {_show(value)}, wanted is {words} {limit}"

    return rule


def _number(value: Json) -> Decimal | None:
    """Money travels as decimal text, so such text counts as a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _contains(value: Json, wanted: Json) -> str:
    return "" if _has(value, wanted) else f"it does not contain {_show(wanted)}"


def _forbids(value: Json, unwanted: Json) -> str:
    found = [item for item in (unwanted if isinstance(unwanted, list) else [unwanted]) if _has(value, item)]
    return f"it contains {', '.join(map(_show, found))}" if found else ""


def _has(value: Json, item: Json) -> bool:
    if isinstance(value, str):
        return isinstance(item, str) and item in value
    if isinstance(value, Mapping):
        return isinstance(item, str) and item in value
    return isinstance(value, list) and any(_same(one, item) for one in value)


def _regex(value: Json, pattern: Json) -> str:
    if not isinstance(value, str):
        return f"it is {type_of(value)}, not text"
    return "" if _pattern(pattern).search(value) else f"{_show(value)} does not match {pattern}"


def _equals(value: Json, wanted: Json) -> str:
    return "" if _same(value, wanted) else f"it is {_show(value)}, wanted is {_show(wanted)}"


def _same(one: Json, other: Json) -> bool:
    """Equal as JSON: true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def _show(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _pattern(pattern: str) -> Any:
    """RE2: an output can never make the match take for ever. Raises ValueError."""
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415 - unstubbed; heavy, and few jobs match patterns

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from error


def _check_schema(schema: Json) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(error.message) from error


PREPARE: Mapping[str, Callable[[Json], object]] = {"regex": _pattern, "schema": _check_schema}
"""What finds, at load, an argument that has the right type and is still wrong. Raises ValueError."""

RULES: Mapping[str, Rule] = {
    "schema": _schema,
    "required": _required,
    "type": _type,
    "length": _length(int.__eq__, "exactly"),
    "min_length": _length(int.__ge__, "at least"),
    "max_length": _length(int.__le__, "at most"),
    "min": _bound(Decimal.__ge__, "at least"),
    "max": _bound(Decimal.__le__, "at most"),
    "contains": _contains,
    "forbids": _forbids,
    "regex": _regex,
    "equals": _equals,
}
