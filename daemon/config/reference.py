"""Writes docs/configuration.md from the models: `python -m daemon.config.reference > docs/configuration.md`."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ..domain.schedule import length
from .sections import JobSection
from .settings_section import SettingsSection
from .variables import VARIABLES

HEAD = """# Configuration

Made from the models that check it: `python -m daemon.config.reference > docs/configuration.md`. An unknown key, a wrong
type or a value out of bounds is refused with file, line and a hint; `clockwright validate` names every fault at once.
Durations are written like `90s`, `5m`, `2h`, `1d12h`. Paths are relative to the config folder.
"""


def page() -> str:
    parts = [HEAD, *_part("clockwright.yaml", SettingsSection), *_variables(), *_part("jobs/NAME.yaml", JobSection)]
    return "\n".join(parts).rstrip() + "\n"


def _part(title: str, model: type[BaseModel]) -> Iterator[str]:
    yield f"## {title}\n"
    yield from _table(model)
    for path, section in _sections(model):
        yield f"### {path}\n"
        if doc := _doc(section):
            yield f"{doc}\n"
        yield from _table(section)


def _variables() -> Iterator[str]:
    yield "### Environment variables\n\nEach wins over the file.\n"
    yield "| variable | key |\n|---|---|"
    yield from (f"| `{name}` | `{'.'.join(path)}` |" for name, path in VARIABLES.items())
    yield ""


def _table(model: type[BaseModel]) -> Iterator[str]:
    yield "| key | value | default | what |\n|---|---|---|---|"
    for name, field in model.model_fields.items():
        cells = (f"`{field.alias or name}`", _shape(field.annotation, field), _default(field), _text(field.description))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _sections(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Every nested section once, with the path of the first place where it is used."""
    seen: set[type[BaseModel]] = set()
    waiting = [(before, model)]
    while waiting:
        path, current = waiting.pop(0)
        for name, field in current.model_fields.items():
            for inner, many in _models(field.annotation):
                if inner not in seen:
                    seen.add(inner)
                    place = f"{path}{field.alias or name}{many}"
                    yield place, inner
                    waiting.append((f"{place}.", inner))


def _models(shape: Any, many: str = "") -> Iterator[tuple[type[BaseModel], str]]:
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        yield shape, many
    suffix = {list: "[]", dict: ".NAME"}.get(get_origin(shape), many)
    for argument in get_args(shape):
        yield from _models(argument, suffix)


def _shape(shape: Any, field: FieldInfo | None = None) -> str:
    bounds = _bounds(field)
    origin, arguments = get_origin(shape), get_args(shape)
    if origin is Annotated:
        return _shape(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in {Union, types.UnionType}:
        return " or ".join(dict.fromkeys(_shape(one) for one in arguments if one is not type(None))) + bounds
    if origin is list:
        return f"list of {_shape(arguments[0])}"
    if origin is dict:
        return f"mapping of {_shape(arguments[1])}"
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return "section"
    return _WORDS.get(shape, getattr(shape, "__name__", "anything")) + bounds


def _bounds(field: FieldInfo | None) -> str:
    found = {type(one).__name__: one for one in field.metadata} if field else {}
    low = getattr(found.get("Ge"), "ge", None)
    high = getattr(found.get("Le"), "le", None)
    if low is None and high is None:
        return ""
    return f", {low if low is not None else '…'} to {high}" if high is not None else f", at least {low}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, timedelta):
        return f"`{length(value)}`"
    if value is None or isinstance(value, BaseModel) or value in ([], {}, ""):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _doc(model: type[BaseModel]) -> str:
    return _text(model.__dict__.get("__doc__"))


def _text(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


_WORDS: dict[Any, str] = {
    str: "text",
    int: "number",
    float: "number",
    bool: "`true` or `false`",
    timedelta: "duration",
    typing.Any: "anything",
}

if __name__ == "__main__":
    print(page(), end="")
