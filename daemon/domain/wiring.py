"""What flows into a step's inputs, checked against the schemas of both ends before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from .draft import Refusal
from .model import Json
from .nearest import did_you_mean
from .references import LOAD_TIME, ROOTS, STEP_FACTS, Key, Reference, parse, references, resolve
from .schemas import DeadPath, Shape, follow, mismatch, say

_NULL: Json = {"type": "null"}
_SCALARS = frozenset({"null", "boolean", "integer", "number", "string"})
_MESSAGE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Sources:
    """What a step may read: the outputs of every step by id, which of them may be missing, and their stand-ins."""

    outputs: Mapping[str, Shape]
    weak: frozenset[str] = frozenset()
    fallbacks: Mapping[str, str] = field(default_factory=dict)

    def readings(self, reference: Reference) -> Iterator[Reference]:
        """The reference, and the same of every step that may stand in for the one it reads."""
        yield reference
        step, read = self.fallbacks.get(reference.step or ""), set[str]()
        while step in self.outputs and step is not None and step not in read:
            read.add(step)
            yield Reference(("steps", step, *reference.path[2:]))
            step = self.fallbacks.get(step)

    def shape(self, reference: Reference) -> Shape:
        """Raises DeadPath where the reference points at nothing."""
        step = reference.step or reference.earlier
        if step is None:
            return follow(Shape.of({"type": "object", "properties": dict(ROOTS)}), reference.path)
        if step not in self.outputs:
            raise DeadPath(step, tuple(self.outputs))
        output = self.outputs[step]
        facts = {"output": output.schema, **STEP_FACTS}
        found = follow(Shape({"type": "object", "properties": facts}, output.root), reference.path[2:])
        is_weak = step in self.weak and reference.path[2:] != ("missing",)
        return Shape({"anyOf": [found.schema, _NULL]}, found.root) if is_weak or reference.earlier else found


@dataclass(frozen=True, slots=True)
class Wiring:
    """The check of one set of inputs; `path` leads to them."""

    step: str
    sources: Sources

    def refuse(self, inputs: Mapping[str, Json], schema: dict[str, Any], path: tuple[Key, ...]) -> Iterator[Refusal]:
        """Unknown, missing, wrongly typed and dead inputs."""
        yield from self._mapping(inputs, Shape.of(schema), path)

    def _mapping(self, value: Mapping[str, Json], shape: Shape, path: tuple[Key, ...]) -> Iterator[Refusal]:
        for name in sorted(shape.required - value.keys()):
            yield self._refusal(path, f"the input {name!r} is missing", "")
        for name, item in value.items():
            try:
                child = shape.child(name)
            except DeadPath as dead:
                hint = did_you_mean(name, dead.known)
                yield self._refusal((*path, name), f"there is no input {name!r}", hint)
            else:
                yield from self._value(item, child, (*path, name))

    def _value(self, value: Json, shape: Shape, path: tuple[Key, ...]) -> Iterator[Refusal]:
        try:
            is_literal = not any(True for _ in references(value))
        except ValueError as error:
            if isinstance(value, str):
                yield self._refusal(path, str(error), "")
                return
            is_literal = False
        if is_literal:
            yield from self._literal(resolve(value, {}), shape, path)
        elif isinstance(value, str):
            yield from self._template(value, shape, path)
        else:
            yield from self._container(value, shape, path)

    def _container(self, value: Json, shape: Shape, path: tuple[Key, ...]) -> Iterator[Refusal]:
        kind = "object" if isinstance(value, Mapping) else "array"
        if kind not in shape.types:
            yield self._refusal(path, f"it is {say({kind})}, wanted is {say(shape.types)}", "")
        elif isinstance(value, Mapping):
            yield from self._mapping(value, shape, path)
        else:
            for index, item in enumerate(value):
                yield from self._value(item, shape.child(index), (*path, index))

    def _literal(self, value: Json, shape: Shape, path: tuple[Key, ...]) -> Iterator[Refusal]:
        schema = {"allOf": [shape.schema], "$defs": shape.root.get("$defs", {})}
        validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        error = best_match(validator.iter_errors(value))
        if error is None:
            return
        at = (*path, *error.absolute_path)
        if error.instance is None:
            message = f"nothing is written at {at[-1]!r}, wanted is {say(shape.types)}"
            yield self._refusal(at, message, "a value that starts with # must be quoted")
        else:
            yield self._refusal(at, _readable(error), _description(shape))

    def _template(self, text: str, shape: Shape, path: tuple[Key, ...]) -> Iterator[Refusal]:
        parts = parse(text)
        found = [part for part in parts if isinstance(part, Reference)]
        if len(parts) > 1 and "string" not in shape.types:
            yield self._refusal(path, "this makes text, and the input takes none", "use one whole reference")
        for reading in (reading for reference in found for reading in self.sources.readings(reference)):
            yield from self._reference(reading, None if len(parts) > 1 else shape, path)

    def _reference(self, reference: Reference, target: Shape | None, path: tuple[Key, ...]) -> Iterator[Refusal]:
        """`target` is None where the value becomes part of a text."""
        try:
            source = self.sources.shape(reference)
        except DeadPath as dead:
            yield self._refusal(path, f"{reference} points at nothing: {dead}", _dead_hint(reference, dead))
            return
        if target is None:
            if source.types.isdisjoint(_SCALARS):
                yield self._refusal(path, f"{reference} is no single value, so it cannot be part of a text", "")
        elif reason := mismatch(source, target):
            hint = "the step is a weak need and may be missing" if reference.step in self.sources.weak else ""
            yield self._refusal(path, f"{reference} does not fit: {reason}", hint)

    def _refusal(self, path: tuple[Key, ...], message: str, hint: str) -> Refusal:
        return Refusal(self.step, path, message, hint)


def _dead_hint(reference: Reference, dead: DeadPath) -> str:
    if reference.path[0] == "secrets":
        return "secrets never go into inputs; name them under 'secrets' of the step"
    if reference.path[0] in LOAD_TIME:
        return "it is replaced while the file is read, and nothing by that name was there"
    known = (*dead.known, "steps") if dead.key == reference.path[0] and reference.step is None else dead.known
    return did_you_mean(str(dead.key), known)


def _readable(error: ValidationError) -> str:
    message = str(error.message)
    return message if len(message) <= _MESSAGE_CHARS else message[:_MESSAGE_CHARS] + "..."


def _description(shape: Shape) -> str:
    text = shape.schema.get("description", "") if isinstance(shape.schema, dict) else ""
    return str(text).partition("\n")[0]
