"""Values as strict JSON with a format version, and back. What is equal to a field's neutral default is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from hashlib import sha256
from typing import Any, Final, NoReturn, TypeVar, Union, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from .events import AttemptEnded, EffectAdopted, Event
from .model import Failed, Json, Run
from .plan import Plan

T = TypeVar("T")

FORMAT: Final = 1
_HEAD: Final = f'{{"format":{FORMAT},"value":'
_STRICT: Final = ConfigDict(ser_json_inf_nan="constants")
_ELSEWHERE: Final[Mapping[type, set[str]]] = {Run: {"steps", "epoch", "version"}}
"""Fields that the store keeps beside the body: a run's steps are rows, its epoch and version are columns."""

EVENTS: Final[Mapping[str, type[Event]]] = {kind.__name__: kind for kind in get_args(Event)}
DIGEST_KEY: Final = "$digest"

_ADAPTERS: Final[dict[type, TypeAdapter[Any]]] = {}
"""Made when first needed: each takes some milliseconds."""


class CodecError(ValueError):
    """The text or the value is not what this codec can carry."""


class Unstorable(CodecError):
    """The value is not strict JSON: it holds NaN, infinity, half a character or a foreign object."""


class Corrupt(CodecError):
    """The text is damaged or was never written by this codec."""


class NewerFormat(CodecError):
    """The text was written by a newer version; it must be left alone."""


def encode(value: object) -> str:
    """Any frozen value of the domain as text; of a `Run` the head only. Raises Unstorable."""
    return f"{_HEAD}{_body(value)}}}"


def prepare(*kinds: type) -> None:
    """Make what reads and writes these kinds now, some tens of milliseconds each, and not when time presses."""
    for kind in kinds:
        _adapter(kind)


def decode(kind: type[T], text: str) -> T:
    """Raises NewerFormat or Corrupt, also where a database gives something else than text."""
    if not isinstance(text, str):
        raise Corrupt(f"{kind.__name__}: this is no text")
    body = text[len(_HEAD) : -1] if text.startswith(_HEAD) and text.endswith("}") else _unwrapped(text)
    try:
        value = _adapter(kind).validate_json(body)
    except ValueError as error:
        raise Corrupt(f"{kind.__name__}: {_first(error)}") from error
    return _present(kind, value)


def encode_json(value: Json) -> str:
    """Plain JSON as compact text. Raises Unstorable."""
    try:
        return _strict(to_json(value, inf_nan_mode="constants"))
    except (PydanticSerializationError, ValueError) as error:
        raise Unstorable(f"this is not plain JSON: {error}") from error


def decode_json(text: str) -> Json:
    """Raises Corrupt."""
    try:
        return from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError) as error:
        raise Corrupt(str(error)) from error


def to_plain(value: object) -> Json:
    """A value as the JSON that `encode` would write, for storing inside something else."""
    return decode_json(encode(value))


def from_plain(kind: type[T], data: Json) -> T:
    return decode(kind, encode_json(data))


def slim(event: Event) -> Event:
    """The event without the output that its step row holds already: a digest stands for it."""
    if isinstance(event, EffectAdopted):
        return replace(event, output=_digest(event.output))
    if isinstance(event, AttemptEnded) and not isinstance(event.outcome, Failed):
        return replace(event, outcome=replace(event.outcome, output=_digest(event.outcome.output)))
    return event


def _digest(output: Json) -> Json:
    if output is None:
        return None
    return {DIGEST_KEY: sha256(encode_json(output).encode()).hexdigest()}


def _body(value: object) -> str:
    kind = type(value)
    try:
        return _strict(_adapter(kind).dump_json(value, exclude=_ELSEWHERE.get(kind), exclude_defaults=kind is not Plan))
    except (PydanticSerializationError, ValueError) as error:
        raise Unstorable(f"this {kind.__name__} is not plain JSON: {error}") from error


def _strict(data: bytes) -> str:
    """NaN and infinity are written as those words: only a text that holds one of them needs a second look."""
    if b"NaN" in data or b"Infinity" in data:
        json.loads(data, parse_constant=_refuse)
    return data.decode()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unwrapped(text: str) -> str:
    """The value's own text from an envelope that was not written exactly as `encode` writes it."""
    data = decode_json(text)
    number = data.get("format") if isinstance(data, dict) else None
    if not isinstance(number, int) or "value" not in data:
        raise Corrupt("there is no format version")
    if number > FORMAT:
        raise NewerFormat(f"format {number} is newer than {FORMAT}, the newest that this version reads")
    return encode_json(data["value"])


def _present(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        raise Corrupt(f"{kind.__name__}: there is no value")
    return value


def _first(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}".removeprefix(": ")


def _adapter(kind: type) -> TypeAdapter[Any]:
    return _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, _made(kind))


def _made(kind: Any) -> TypeAdapter[Any]:
    if not is_dataclass(kind):
        raise Unstorable(f"{kind} is not a value of the domain")
    # A bare dataclass takes no configuration, a union does.
    union: Any = Union[kind, None]  # noqa: UP007 - `|` would be typed as a value
    return TypeAdapter(union, config=_STRICT)
