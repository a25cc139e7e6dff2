"""Reads YAML as people mean it: no octal, sexagesimal or boolean surprises, no doubled keys, no tricks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from yaml import events

from .faults import ConfigError, Fault, Place
from .located import Located, Value

_BYTES = 1_000_000
_NODES = 50_000
"""With every alias counted as often as it is used."""
_DEPTH = 40
_WORDS: dict[str, bool | None] = {"": None, "null": None, "~": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(0|[1-9]\d{0,17})")
_FLOAT = re.compile(r"[-+]?(0|[1-9]\d*)\.\d+([eE][-+]?\d{1,3})?")


def read(path: Path, name: str) -> Located:
    """The one document of a file; `name` is what messages call it. Raises ConfigError."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(Fault(name, 0, 0, f"cannot be read: {error.strerror}")) from error
    return parse(_decoded(raw, name), name)


def parse(text: str, name: str) -> Located:
    """Raises ConfigError."""
    _refuse_tabs(text, name)
    try:
        return _Builder(name, yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        raise ConfigError(Fault.at(place, _problem(error), _hint(error))) from error
    except yaml.YAMLError as error:
        raise ConfigError(Fault(name, 0, 0, f"not valid YAML: {' '.join(str(error).split())}")) from error


def _decoded(raw: bytes, name: str) -> str:
    if len(raw) > _BYTES:
        raise ConfigError(Fault(name, 0, 0, f"the file is larger than {_BYTES:,} bytes"))
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        hint = "save it as UTF-8 without one"
        raise ConfigError(Fault(name, 1, 1, "the file starts with a byte order mark", hint))
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise ConfigError(Fault(name, line, column, "the file is not UTF-8", "save it as UTF-8")) from error


def _refuse_tabs(text: str, name: str) -> None:
    if match := re.search(r"^ *\t", text, re.MULTILINE):
        line = text.count("\n", 0, match.end()) + 1
        column = match.end() - match.start()
        raise ConfigError(Fault(name, line, column, "a tab is used for indentation", "indent with spaces"))


def _problem(error: yaml.MarkedYAMLError) -> str:
    return f"not valid YAML: {error.problem or error.context}"


def _hint(error: yaml.MarkedYAMLError) -> str:
    problem = str(error.problem)
    if "mapping values are not allowed" in problem:
        return "quote a value that holds ': '"
    if "cannot start any token" in problem:
        return "quote a value that starts with @, ` or %"
    if error.context and error.context_mark and error.problem_mark:
        return f"{error.context} that began on line {error.context_mark.line + 1}"
    return ""


@dataclass(slots=True)
class _Builder:
    """Builds the value from the parser's events, so that neither depth nor aliases can run away."""

    name: str
    stream: Iterator[Any]
    anchors: dict[str, tuple[Located, int]] = field(default_factory=dict)
    nodes: int = 0

    def document(self) -> Located:
        start = self._next()
        while not isinstance(start, events.DocumentStartEvent):
            if isinstance(start, events.StreamEndEvent):
                raise self._fault(Place(self.name, 1, 1), "the file is empty", "")
            start = self._next()
        located = self._node(self._next(), 0)
        self._next()
        more = self._next()
        if not isinstance(more, events.StreamEndEvent):
            raise self._fault(self._place(more), "there is a second document", "one file, one document: drop the '---'")
        return located

    def _next(self) -> Any:
        return next(self.stream)

    def _place(self, event: Any) -> Place:
        return Place(self.name, event.start_mark.line + 1, event.start_mark.column + 1)

    def _node(self, event: Any, depth: int) -> Located:
        place = self._place(event)
        if isinstance(event, events.AliasEvent):
            return self._alias(str(event.anchor), place)
        self._count(1, place)
        if depth > _DEPTH:
            raise self._fault(place, f"more than {_DEPTH} levels deep", "")
        if event.tag is not None and event.tag != "!":
            raise self._fault(place, f"the tag {event.tag!r} is not supported", "write the value without a tag")
        before = self.nodes
        located = Located(self._value(event, depth), place)
        if event.anchor:
            self.anchors[event.anchor] = (located, self.nodes - before + 1)
        return located

    def _value(self, event: Any, depth: int) -> Value:
        if isinstance(event, events.MappingStartEvent):
            return self._mapping(depth)
        if isinstance(event, events.SequenceStartEvent):
            return self._sequence(depth)
        return scalar(event.value) if event.implicit[0] else str(event.value)

    def _mapping(self, depth: int) -> dict[str, Located]:
        members: dict[str, Located] = {}
        while not isinstance(event := self._next(), events.MappingEndEvent):
            name, place = self._key(event)
            if name in members:
                first = members[name].start
                raise self._fault(place, f"the key {name!r} is written twice", f"first on line {first.line}")
            members[name] = replace(self._node(self._next(), depth + 1), key=place)
        return members

    def _key(self, event: Any) -> tuple[str, Place]:
        place = self._place(event)
        if not isinstance(event, events.ScalarEvent):
            raise self._fault(place, "a key must be a plain word", "quote it if it starts with * & { or [")
        if event.value == "<<" and event.implicit[0]:
            raise self._fault(place, "merge keys (<<) are not supported", "use 'defaults' in clockwright.yaml")
        self._count(1, place)
        return str(event.value), place

    def _sequence(self, depth: int) -> list[Located]:
        found = []
        while not isinstance(event := self._next(), events.SequenceEndEvent):
            found.append(self._node(event, depth + 1))
        return found

    def _alias(self, anchor: str, place: Place) -> Located:
        if anchor not in self.anchors:
            hint = "quote a value that starts with *"
            raise self._fault(place, f"there is no finished anchor {anchor!r} before this alias", hint)
        located, size = self.anchors[anchor]
        self._count(size, place)
        return located

    def _count(self, nodes: int, place: Place) -> None:
        self.nodes += nodes
        if self.nodes > _NODES:
            raise self._fault(place, f"more than {_NODES:,} values with every alias counted", "use fewer aliases")

    def _fault(self, place: Place, message: str, hint: str) -> ConfigError:
        return ConfigError(Fault.at(place, message, hint))


def scalar(text: str) -> str | int | float | bool | None:
    """An unquoted word: null, true, false and plain decimal numbers; `NO`, `010`, `10:00` and dates stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
