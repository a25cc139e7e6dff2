"""Texts and lists cut to a number of bytes, counted as they will be written."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Final

from .model import Json

CUT: Final = "…"
_UNSAFE: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>`"}
"""What delimiters are made of: escaped, so that no data can close or forge one."""


def wire(value: Json) -> str:
    """Compact JSON in one line, with nothing in it that a delimiter could be made of. Raises ValueError for NaN."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE)


def size(value: Json) -> int:
    """Bytes of `value` on the wire."""
    return len(wire(value).encode())


def plain(text: str) -> str:
    """One line without control, direction, half or private characters."""
    return " ".join("".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text).split())


def cut(text: str, most: int) -> str:
    """The longest beginning of `text` in `most` bytes on the wire, quotes counted, with a mark where it was cut."""
    if size(text) <= most:
        return text
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle] + CUT) <= most else (low, middle - 1)
    return text[:low] + CUT if size(text[:low] + CUT) <= most else ""


def newest(items: Sequence[Json], most: int) -> list[Json]:
    """As many of the last items as fit into a list of `most` bytes."""
    kept: list[Json] = []
    room = most - 2
    for item in reversed(items):
        room -= size(item) + 1
        if room < 0:
            break
        kept.insert(0, item)
    return kept


def finite(value: Json) -> Json:
    """`value` with null where a number is not one."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return {key: finite(item) for key, item in value.items()} if isinstance(value, dict) else value
