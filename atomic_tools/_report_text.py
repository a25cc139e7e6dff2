"""Text that came from data, made safe to show: one line, no control characters, no markup of its own."""

from __future__ import annotations

import re
import unicodedata

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = _BIDI_CONTROLS | {"\ufeff", "\u00ad"}
_LINE_BREAKS = re.compile(r"[\t\n\r\v\f\x85\u2028\u2029]+")
_JOINER = "\u200d"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]|~#!])")
_LINK_START = re.compile(r"(?i)(https?|ftp|www|mailto)([:.])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line of at most `limit` characters, without what could reorder or hide its neighbours."""
    joined = _LINE_BREAKS.sub(" ", text[: limit * 4])
    return shortened("".join(filter(_visible, joined)).strip(), limit)


def _visible(character: str) -> bool:
    return character not in _INVISIBLE and unicodedata.category(character) not in {"Cc", "Cs"}


def shortened(text: str, limit: int) -> str:
    """`text`, or its beginning and an ellipsis; never cut inside a combined character."""
    if len(text) <= limit:
        return text
    end = max(limit - 1, 0)
    while end and (_joins(text[end]) or text[end - 1] == _JOINER):
        end -= 1
    return text[:end].rstrip() + "…"


def _joins(character: str) -> bool:
    modifier = "\U0001f3fb" <= character <= "\U0001f3ff"
    return character == _JOINER or modifier or unicodedata.category(character) in {"Mn", "Mc", "Me"}


def markdown_literal(text: str, limit: int = 200) -> str:
    """`text` so that any Markdown reader shows exactly its characters, also inside a table cell."""
    line = one_line(text, limit)
    line = re.sub("[&<>]", lambda match: _ENTITIES[match.group()], line)
    return _LINK_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", line))
