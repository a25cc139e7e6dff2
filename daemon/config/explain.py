"""Turns what pydantic says into faults a person can act on, at their place in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..domain.model import Json
from ..domain.nearest import did_you_mean
from ..domain.references import Key
from ..domain.schemas import DeadPath, Shape, follow
from .faults import Fault
from .located import Located

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    dict: "a mapping",
    list: "a list",
}


def explain(error: ValidationError, document: Located, model: type[BaseModel]) -> Iterator[Fault]:
    """One fault for each error; for a choice of types only the first."""
    seen = set()
    for detail in error.errors(include_url=False):
        fault = _fault(detail, document, Shape.of(model.model_json_schema()))
        if (fault.line, fault.column) not in seen or detail["type"] in _ALWAYS:
            yield fault
        seen.add((fault.line, fault.column))


def _fault(detail: ErrorDetails, document: Located, shape: Shape) -> Fault:
    path = tuple(detail["loc"])
    found = document.find(path)
    name = str(path[-1]) if path else ""
    if detail["type"] == "extra_forbidden":
        return Fault.at(found.start, f"unknown key {name!r}", _elsewhere(name, shape, path[:-1]))
    if detail["type"] == "missing":
        return Fault.at(found.start, f"{name!r} is missing{_within(path[:-1])}")
    if wanted := _WANTED.get(detail["type"]):
        label = _label(path)
        return Fault.at(found.place, f"{label} must be {wanted}, not {_show(found, path)}", _hint(found, wanted))
    message = str(detail["ctx"]["error"]) if detail["type"] == "value_error" else _plain(detail["msg"])
    return Fault.at(found.place, f"{_label(path)}: {message}", "" if found.value is not None else _NOTHING)


_ALWAYS = {"missing", "value_error", "extra_forbidden"}
_NOTHING = "nothing is written here; a value that starts with # must be quoted"


def _known(shape: Shape, path: tuple[Key, ...]) -> Mapping[str, Any]:
    try:
        return follow(shape, path).properties
    except DeadPath:
        return {}


def _elsewhere(name: str, shape: Shape, path: tuple[Key, ...]) -> str:
    """It belongs into a section beside it, or at the top, or is another word."""
    known = _known(shape, path)
    inside = [section for section, its in known.items() if name in its.properties]
    if len(inside) == 1:
        return f"it belongs under {inside[0]!r}"
    if path and name in _known(shape, ()):
        return "it belongs at the top of the file"
    return did_you_mean(name, known)


def _within(path: tuple[Key, ...]) -> str:
    return f" in {_label(path)}" if path else ""


def _label(path: tuple[Key, ...]) -> str:
    names = [key for key in path if isinstance(key, str)]
    return repr(names[-1]) if names else "the file"


def _show(found: Located, path: tuple[Key, ...]) -> str:
    if found.value is None:
        return "empty"
    kind = _KINDS[type(found.value)]
    is_private = path[:1] == ("secrets",) or isinstance(found.value, dict | list)
    return kind if is_private else f"{kind} ({_text(found.value)})"


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _hint(found: Located, wanted: str) -> str:
    value = found.value
    if value is None:
        return _NOTHING
    if wanted == "text" and isinstance(value, bool | int | float):
        return "quote it"
    return _text_hint(value, wanted) if isinstance(value, str) else ""


def _text_hint(text: str, wanted: str) -> str:
    if wanted == "true or false" and text.lower() in {"yes", "no", "on", "off", "y", "n"}:
        return "write true or false"
    if "number" in wanted and text.replace("_", "").lstrip("+-").isdecimal():
        return f"write {int(text)}, without quotes, leading zeros or underscores"
    return f"write one item a line: - {text}" if wanted == "a list" else ""


def _plain(message: str) -> str:
    return message[0].lower() + message[1:]
