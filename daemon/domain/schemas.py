"""Finding one's way in a JSON Schema: what lies at a path, and whether what one step says fits another's input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from .model import Json
from .references import Key

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_NUMBER = frozenset({"integer", "number"})
_DEPTH = 30
"""Deeper comparisons (recursive schemas) are left to the check at run time."""


class DeadPath(LookupError):
    """Nothing can be there: `key` is not among `known`."""

    def __init__(self, key: Key, known: Sequence[str]) -> None:
        super().__init__(f"there is no {key!r}" if isinstance(key, str) else f"it is no list, so there is no [{key}]")
        self.key = key
        self.known = tuple(known)


@dataclass(frozen=True)
class Shape:
    """One schema within its document: `root` holds the `$defs` that it may refer to."""

    schema: Json
    root: Json

    @classmethod
    def of(cls, schema: Json) -> Shape:
        return cls(schema, schema)

    @classmethod
    def unknown(cls) -> Shape:
        return cls({}, {})

    @cached_property
    def options(self) -> tuple[Shape, ...]:
        """The alternatives that this schema allows, references followed and `anyOf` and `oneOf` opened."""
        return tuple(_options(self, frozenset()))

    @cached_property
    def types(self) -> frozenset[str]:
        """Every JSON type that a value may have. `number` includes `integer`."""
        return frozenset().union(*(_types(option.schema) for option in self.options))

    @property
    def is_open(self) -> bool:
        """It says nothing about the value."""
        return self.types >= ALL_TYPES

    @property
    def nullable(self) -> bool:
        return "null" in self.types

    @cached_property
    def properties(self) -> Mapping[str, Shape]:
        return {
            name: Shape(schema, option.root)
            for option in self.options
            for name, schema in _of(option.schema, "properties").items()
        }

    @property
    def required(self) -> frozenset[str]:
        return frozenset(self._object.get("required", ()))

    @property
    def closed(self) -> bool:
        """Properties that are not named are refused."""
        return self._object.get("additionalProperties") is False

    @property
    def _object(self) -> Mapping[str, Json]:
        return next((o.schema for o in self.options if isinstance(o.schema, dict) and "properties" in o.schema), {})

    def child(self, key: Key) -> Shape:
        """The schema of a property or an item. Raises DeadPath where there can be none."""
        found = [child for option in self.options if (child := _child(option, key)) is not None]
        if not found:
            raise DeadPath(key, tuple(self.properties))
        return found[0] if len(found) == 1 else _either(found)


def follow(shape: Shape, path: Sequence[Key]) -> Shape:
    """What lies at `path`. Raises DeadPath at the first key that cannot be there."""
    for key in path:
        shape = shape.child(key)
    return shape


def _either(shapes: list[Shape]) -> Shape:
    return Shape({"anyOf": [s.schema for s in shapes]}, shapes[0].root)


def _of(schema: Json, key: str) -> Mapping[str, Json]:
    value = schema.get(key, {}) if isinstance(schema, dict) else {}
    return value if isinstance(value, dict) else {}


def _options(shape: Shape, seen: frozenset[str]) -> Iterator[Shape]:
    schema = shape.schema
    if not isinstance(schema, dict):
        yield shape
    elif "$ref" in schema:
        yield from _referred(shape, schema["$ref"], seen)
    elif branches := schema.get("anyOf") or schema.get("oneOf"):
        for branch in branches:
            yield from _options(Shape(branch, shape.root), seen)
    elif len(schema.get("allOf", ())) == 1:
        yield from _options(Shape(schema["allOf"][0], shape.root), seen)
    else:
        yield from _by_type(shape, schema)


def _by_type(shape: Shape, schema: Mapping[str, Json]) -> Iterator[Shape]:
    """One option for each of several types, so that each can find its own place in another schema."""
    values, types = _values(schema), _types(schema)
    if values is not None and len(types) > 1:
        for name in sorted(types):
            yield Shape({"enum": [value for value in values if type_of(value) == name]}, shape.root)
    elif isinstance(schema.get("type"), list):
        for name in schema["type"]:
            yield Shape({**schema, "type": name}, shape.root)
    else:
        yield shape


def _referred(shape: Shape, name: str, seen: frozenset[str]) -> Iterator[Shape]:
    target = shape.root
    for part in name.removeprefix("#").strip("/").split("/") if name != "#" else ():
        target = _of(target, part)
    if name in seen or not name.startswith("#"):
        yield Shape({}, shape.root)
    else:
        yield from _options(Shape(target, shape.root), seen | {name})


def _types(schema: Json) -> frozenset[str]:
    if schema is False:
        return frozenset()
    if not isinstance(schema, dict):
        return ALL_TYPES
    if "const" in schema or "enum" in schema:
        return frozenset(type_of(value) for value in _values(schema) or ())
    named = schema.get("type")
    if named is None:
        return frozenset({"object"}) if "properties" in schema else ALL_TYPES
    types = frozenset([named] if isinstance(named, str) else named)
    return types | _NUMBER if "number" in types else types


def type_of(value: Json) -> str:
    """The JSON type of a value; a whole number is an integer."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    for python, name in ((int, "integer"), (float, "number"), (str, "string"), (Mapping, "object")):
        if isinstance(value, python):
            return name
    return "array"


def _values(schema: Json) -> list[Json] | None:
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    return list(schema["enum"]) if "enum" in schema else None


def _child(option: Shape, key: Key) -> Shape | None:
    schema = option.schema
    if not isinstance(schema, dict):
        return option if schema is True else None
    if _types(schema) == ALL_TYPES:
        return Shape({}, option.root)
    child = _item(schema, key) if isinstance(key, int) else _property(schema, key)
    return None if child is None or child is False else Shape(child, option.root)


def _property(schema: Mapping[str, Json], key: str) -> Json:
    if "object" not in _types(schema):
        return None
    properties = schema.get("properties", {})
    return properties[key] if key in properties else schema.get("additionalProperties", "properties" not in schema)


def _item(schema: Mapping[str, Json], key: int) -> Json:
    if "array" not in _types(schema):
        return None
    prefix = schema.get("prefixItems", [])
    return prefix[key] if key < len(prefix) else schema.get("items", True)


def mismatch(source: Shape, target: Shape, depth: int = 0) -> str | None:
    """Why a value that `source` describes may be wrong for `target`, or None where it always fits."""
    if depth > _DEPTH or source.is_open or target.is_open or source == target:
        return None
    for option in source.options:
        reasons = [_option_mismatch(option, wanted, depth) for wanted in target.options]
        if None not in reasons:
            return _clearest(option, target, [reason for reason in reasons if reason])
    return None


def _clearest(option: Shape, target: Shape, reasons: list[str]) -> str:
    types = _types(option.schema)
    if types.isdisjoint(target.types):
        return f"it {'may be' if types == {'null'} else 'is'} {say(types)}, wanted is {say(target.types)}"
    return max(reasons, key=lambda reason: not reason.startswith("it is "))


def _option_mismatch(source: Shape, target: Shape, depth: int) -> str | None:
    types, wanted = _types(source.schema), _types(target.schema)
    if types >= ALL_TYPES or wanted >= ALL_TYPES:
        return None
    if not types <= wanted:
        return f"it is {say(types)}, wanted is {say(wanted)}"
    return (
        _value_mismatch(source.schema, target.schema)
        or _format_mismatch(source.schema, target.schema)
        or _item_mismatch(source, target, depth)
        or _property_mismatch(source, target, depth)
    )


def _value_mismatch(source: Json, target: Json) -> str | None:
    mine, theirs = _values(source), _values(target)
    if mine is None or theirs is None:
        return None
    odd = [value for value in mine if value not in theirs]
    return f"it may be {odd[0]!r}, allowed is {', '.join(map(repr, theirs))}" if odd else None


def _format_mismatch(source: Json, target: Json) -> str | None:
    mine, theirs = source.get("format"), target.get("format")
    return f"it is a {mine}, wanted is a {theirs}" if mine and theirs and mine != theirs else None


def _item_mismatch(source: Shape, target: Shape, depth: int) -> str | None:
    mine, theirs = source.schema.get("items"), target.schema.get("items")
    if mine is None or theirs is None:
        return None
    reason = mismatch(Shape(mine, source.root), Shape(theirs, target.root), depth + 1)
    return f"in its items {reason}" if reason else None


def _property_mismatch(source: Shape, target: Shape, depth: int) -> str | None:
    if not source.properties or not target.properties:
        return None
    lacking = sorted(target.required - source.properties.keys())
    if lacking and source.closed:
        return f"it has no {lacking[0]!r}, which is required"
    extra = sorted(source.properties.keys() - target.properties.keys())
    if extra and target.closed:
        return f"it has {extra[0]!r}, which is not taken"
    for name in sorted(source.properties.keys() & target.properties.keys()):
        if reason := mismatch(source.properties[name], target.properties[name], depth + 1):
            return f"at {name!r} {reason}"
    return None


def say(types: Set[str]) -> str:
    """JSON types in words."""
    shown = types - {"integer"} if "number" in types else types
    words = {
        "string": "text",
        "array": "a list",
        "object": "an object",
        "boolean": "true or false",
        "integer": "a whole number",
    }
    return " or ".join(sorted(words.get(name, "null" if name == "null" else f"a {name}") for name in shown))
