"""From a raw answer to a choice, strictly: what can be read in two ways is no decision at all.

Truncated, refused and empty answers, several letters, doubled keys and letters in prose are not repaired into
something; the caller asks once more and then goes by the rule.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NoReturn

from .model import Json, Letter

RAW_BYTES: Final = 16 * 1024
REASON_CHARS: Final = 300

_THINK: Final = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT: Final = re.compile(r"^.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_THINKING: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
_ALONE: Final = re.compile(r"(?:^|\n)[ \t]*\Z")
_STRAY: Final = re.compile(r"(?<![A-Za-z0-9])[ABC](?![A-Za-z0-9])")
_OPENING: Final = re.compile(r"[{\[]")
_NAMED: Final = re.compile(r"decision", re.IGNORECASE)
_FENCE: Final = re.compile(r"```[ \t]*(\w*)[^\n]*\n\s*\Z")


class Cause(StrEnum):
    """Why an answer is not a decision. One closed list, whatever the library or the server calls it."""

    TRUNCATED = "truncated"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    INVALID = "invalid"
    AMBIGUOUS = "ambiguous"
    UNKNOWN_TOOL = "unknown_tool"
    NOT_ALLOWED = "not_allowed"


class Unusable(ValueError):
    """The answer is not a decision; the message says why in one line."""

    def __init__(self, cause: Cause, why: str) -> None:
        super().__init__(f"{cause}: {why}")
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Answer:
    """One clear choice, not yet judged. `tool` is None where the answer left it out, "" where it named none."""

    letter: Letter
    tool: str | None = None
    input: Json = field(default_factory=dict)
    reason: str = ""


def parse(raw: str) -> Answer:
    """Raises Unusable."""
    if len(raw) > RAW_BYTES:
        raise Unusable(Cause.INVALID, f"the answer is longer than {RAW_BYTES} characters")
    text = raw.strip().lstrip("\ufeff").strip()
    if not text:
        raise Unusable(Cause.EMPTY, "there is no answer")
    try:
        return _answer(_only_object(text))
    except RecursionError:
        raise Unusable(Cause.INVALID, "the answer is nested too deeply") from None


def _only_object(text: str) -> dict[str, Json]:
    """The one object that is the answer: the whole text, or one that stands by itself in it."""
    whole = _decoded(text, 0)
    if whole and whole[1] == len(text):
        return _object(whole[0])
    text = _without_thoughts(text)
    found = [(value, start, end) for value, start, end in _values(text) if _is_answer(value)]
    if len(found) != 1:
        raise _none_or_many(len(found), text)
    value, start, end = found[0]
    _expect_alone(text, start, end, str(_folded(value).get("decision")).strip().upper())
    return _object(value)


def _none_or_many(count: int, text: str) -> Unusable:
    if not text.strip():
        return Unusable(Cause.EMPTY, "there is no answer after the thinking")
    if count:
        return Unusable(Cause.AMBIGUOUS, f"there are {count} answers")
    return Unusable(Cause.INVALID, "there is no JSON object with a decision")


def _without_thoughts(text: str) -> str:
    text = _THINK.sub("", text)
    text = _THOUGHT.sub("", text)
    return _THINKING.sub("", text).strip()


def _values(text: str) -> Iterator[tuple[Json, int, int]]:
    """Every object and list at the top level of the text, with where it stands."""
    position = 0
    while match := _OPENING.search(text, position):
        decoded = _decoded(text, match.start())
        if decoded:
            yield decoded[0], match.start(), decoded[1]
        position = decoded[1] if decoded else match.end()


def _decoded(text: str, start: int) -> tuple[Json, int] | None:
    """The JSON value that begins here, and its end. Raises Unusable for a doubled key."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except Unusable:
        raise
    except ValueError:
        return None
    return value, end


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    names = [name.casefold() for name, _ in pairs]
    if len(set(names)) < len(names):
        doubled = next(name for name in names if names.count(name) > 1)
        raise Unusable(Cause.AMBIGUOUS, f"the key {doubled[:40]!r} is there twice")
    return dict(pairs)


def _constant(name: str) -> NoReturn:
    raise Unusable(Cause.INVALID, f"{name} is not JSON")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Unusable(Cause.INVALID, "a number is too large")
    return number


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_number)


def _is_answer(value: Json) -> bool:
    return isinstance(value, dict) and "decision" in _folded(value)


def _folded(value: dict[str, Json]) -> dict[str, Json]:
    return {name.strip().casefold(): member for name, member in value.items()}


def _expect_alone(text: str, start: int, end: int, letter: str) -> None:
    """An answer quoted in a sentence, or beside another letter, decides nothing."""
    before, after = text[:start], text[end:]
    rest = f"{before}\n{after}"
    first = after.split("\n", 1)[0].strip()
    if not _ALONE.search(before) or first.strip("`"):
        raise Unusable(Cause.AMBIGUOUS, "the answer stands inside other text")
    if (fence := _FENCE.search(before)) and _quotes(fence[1].lower(), rest):
        raise Unusable(Cause.AMBIGUOUS, f"the answer stands in a block of {fence[1] or 'text'}")
    if _NAMED.search(rest) or set(_STRAY.findall(rest)) - {letter}:
        raise Unusable(Cause.AMBIGUOUS, "the text around the answer speaks of another decision")


def _quotes(language: str, rest: str) -> bool:
    """A block without a language is the answer where there is nothing else, and a quotation beside prose."""
    return language != "json" and (language != "" or bool(rest.replace("`", "").strip()))


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Unusable(Cause.INVALID, f"the answer is not a JSON object but {type(value).__name__}")
    return _folded(value)


def _answer(members: dict[str, Any]) -> Answer:
    if "decision" not in members:
        raise Unusable(Cause.INVALID, "the key 'decision' is missing")
    return Answer(_letter(members["decision"]), _tool(members), _input(members), _reason(members))


def _letter(value: Json) -> Letter:
    if not isinstance(value, str) or value.strip().upper() not in set(Letter):
        raise Unusable(Cause.INVALID, f"'decision' is {str(value)[:40]!r}, which is none of A, B and C")
    return Letter(value.strip().upper())


def _tool(members: dict[str, Any]) -> str | None:
    if "tool_to_use" not in members:
        return None
    tool = members["tool_to_use"]
    if tool is not None and not isinstance(tool, str):
        raise Unusable(Cause.UNKNOWN_TOOL, "'tool_to_use' is not a name")
    return tool or ""


def _input(members: dict[str, Any]) -> Json:
    """Only the whole member may be encoded once or twice; a text field inside it stays the text that it is."""
    value = members.get("tool_input", {})
    for _ in range(2):
        if isinstance(value, str):
            decoded = _decoded(value.strip(), 0)
            value = decoded[0] if decoded and decoded[1] == len(value.strip()) else value
    if not isinstance(value, dict):
        raise Unusable(Cause.INVALID, "'tool_input' is not an object")
    return value


def _reason(members: dict[str, Any]) -> str:
    reason = members.get("reason")
    return " ".join(str(reason).split())[:REASON_CHARS] if reason is not None else ""
