"""Escaped text into the blocks of one message or several: in order, within every limit, visibly shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from atomic_tools import _slack_limits as limits
from atomic_tools._slack_text import Piece, escaped, pieces

_FENCE = "```"
_HEAD = frozenset({"header", "context"})
_HALF_ENTITY = re.compile(r"&[a-z]{0,3}\Z")
MOST_MESSAGES = 6
"""A longer report goes on in its file: nobody scrolls further, and each message waits for the one before."""
_READ_AT_MOST = (MOST_MESSAGES + 1) * limits.ALL_BLOCKS_TEXT
"""Characters of a report that are looked at: more than fit, few enough that hostile text is read quickly."""
_NOTE = 300
"""Characters kept free in each message for the note that ends it, after escaping."""
_BLOCKS = limits.BLOCKS - 6
"""For sections: header, picture, notes, mentions and buttons have room beside them."""


@dataclass(frozen=True, slots=True)
class Body:
    """The blocks of each message in order, and whether text had to be left out."""

    pages: tuple[tuple[dict[str, Any], ...], ...]
    shortened: bool


def top_text(text: str) -> str:
    """The notification's text within its limit."""
    return _first_part(escaped(text).strip(), limits.TOP_TEXT)


def body(markdown: str, note: str, alt_text: str, below: Sequence[dict[str, Any]] = ()) -> Body:
    """The report as header and sections; `note` ends it where it is shortened, `below` its first message.

    `alt_text` has room kept.
    """
    cut_early = len(markdown) > _READ_AT_MOST
    parts = pieces(markdown[: _cut(markdown, _READ_AT_MOST)])
    header, rest = _header(parts)
    around = sum(len(text) for block in (*header, *below) for text in limits.texts(block))
    all_pages = _paged(_packed(rest), around + len(image_alt(alt_text)))
    pages = all_pages[:MOST_MESSAGES]
    shortened = cut_early or len(all_pages) > len(pages)
    notes = _notes(len(pages), note if shortened else "")
    made = [(*map(_section, page), *map(remark, said)) for page, said in zip(pages, notes, strict=True)]
    return Body(((*header, *made[0], *below), *made[1:]), shortened)


def _paged(sections: Sequence[str], taken: int) -> list[list[str]]:
    """The sections of each message; of the first one's characters some are `taken`."""
    pages: list[list[str]] = [[]]
    room = limits.ALL_BLOCKS_TEXT - _NOTE - taken
    for text in sections:
        if pages[-1] and (len(text) > room or len(pages[-1]) >= _BLOCKS):
            pages.append([])
            room = limits.ALL_BLOCKS_TEXT - _NOTE
        pages[-1].append(text)
        room -= len(text)
    return pages


def _notes(count: int, last: str) -> Iterator[list[str]]:
    """What each message says of itself at its end."""
    for number in range(1, count + 1):
        goes_on = "; the rest is in the thread" if number == 1 else ""
        where = [f"{number} of {count}{goes_on}"] if count > 1 else []
        yield [*where, *([last] if last and number == count else [])]


def with_picture(blocks: Sequence[dict[str, Any]], file_id: str, alt_text: str) -> list[dict[str, Any]]:
    """The blocks with an uploaded picture below the header and what is remarked there."""
    picture = {"type": "image", "slack_file": {"id": file_id}, "alt_text": image_alt(alt_text)}
    start = next((at for at, block in enumerate(blocks) if block["type"] not in _HEAD), len(blocks))
    return [*blocks[:start], picture, *blocks[start:]]


def image_alt(alt_text: str) -> str:
    """The picture's description within its limit; never empty."""
    return _first_part(escaped(alt_text).strip() or "chart", limits.IMAGE_ALT)


def _header(parts: Sequence[Piece]) -> tuple[list[dict[str, Any]], list[Piece]]:
    if not parts or parts[0].kind != "title":
        return [], list(parts)
    text = {"type": "plain_text", "text": _first_part(parts[0].text, limits.HEADER_TEXT), "emoji": False}
    return [{"type": "header", "text": text}], list(parts[1:])


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def remark(text: str) -> dict[str, Any]:
    """A line in small print."""
    return {"type": "context", "elements": [{"type": "plain_text", "text": escaped(text), "emoji": False}]}


def _packed(parts: Sequence[Piece]) -> list[str]:
    """The pieces in as few section texts as hold them."""
    sections: list[str] = []
    gap = ""
    for piece in parts:
        for text in _split(piece, limits.SECTION_TEXT):
            if sections and len(sections[-1]) + len(gap) + len(text) <= limits.SECTION_TEXT:
                sections[-1] += gap + text
            else:
                sections.append(text)
            gap = "\n" if piece.kind == "fixed" else ""
        gap = "\n" if piece.kind == "heading" else "\n\n"
    return sections


def _split(piece: Piece, limit: int) -> Iterator[str]:
    """A piece in parts of at most `limit` characters, each whole by itself."""
    left, right = (f"{_FENCE}\n", f"\n{_FENCE}") if piece.kind == "fixed" else ("", "")
    rest, room = piece.text, limit - len(left) - len(right)
    while rest:
        end = _cut(rest, room)
        part, rest = rest[:end], rest[end:]
        if part.strip():
            yield f"{left}{part}{right}"


def _first_part(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: _cut(text, limit - 1)].rstrip() + "…"


def _cut(text: str, limit: int) -> int:
    """Where to cut for at most `limit` characters: at a line's end, a space, else outside an entity."""
    if len(text) <= limit:
        return len(text)
    for sign in ("\n", " "):
        end = text.rfind(sign, limit // 2, limit) + 1
        if end:
            return end
    half = _HALF_ENTITY.search(text[:limit])
    return half.start() if half and half.start() else limit


def payload(
    channel: str, text: str, blocks: Sequence[Mapping[str, Any]], key: str, part: str = "message"
) -> dict[str, Any]:
    """The arguments of `chat.postMessage`: nothing in them is parsed for pings or links.

    Slack shows the metadata to every app of the workspace, so it holds nothing but the key and the form.
    """
    return {
        "channel": channel,
        "text": top_text(text),
        "blocks": list(blocks),
        "metadata": {"event_type": "clockwright", "event_payload": {"key": key, "part": part}},
        "parse": "none",
        "link_names": False,
        "mrkdwn": False,
        "unfurl_links": False,
        "unfurl_media": False,
    }
