"""What Slack refuses, in one table, and the check that every payload passes before it leaves.

Figures as of 2026-11-30; where sources disagree the smaller one. Characters are counted after escaping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

BLOCKS = 50
SECTION_TEXT = 3_000
SECTION_FIELDS = 10
FIELD_TEXT = 2_000
HEADER_TEXT = 150
CONTEXT_ELEMENTS = 10
CONTEXT_TEXT = 3_000
IMAGE_ALT = 2_000
ACTIONS = 25
BUTTON_LABEL = 75
TOP_TEXT = 4_000
ALL_BLOCKS_TEXT = 12_000
"""Unpublished; refusals were seen from about 13,170."""

Block = Mapping[str, Any]
Fault = str


def faults(payload: Mapping[str, Any]) -> list[Fault]:
    """Every limit that a `chat.postMessage` payload breaks; empty when Slack would take it."""
    blocks: Sequence[Block] = payload.get("blocks", ())
    total = sum(len(text) for block in blocks for text in texts(block))
    found = [
        *_over("top-level text", len(payload.get("text", "")), TOP_TEXT),
        *_over("number of blocks", len(blocks), BLOCKS),
        *_over("text of all blocks", total, ALL_BLOCKS_TEXT),
        *(fault for block in blocks for fault in _block_faults(block)),
    ]
    return [*found, *([] if payload.get("text") else ["top-level text is empty"])]


def texts(block: Block) -> Iterator[str]:
    """Every text that a reader of the block may see."""
    text = block.get("text")
    if text:
        yield text["text"]
    for each in (*block.get("fields", ()), *block.get("elements", ())):
        yield _text(each)
    if "alt_text" in block:
        yield block["alt_text"]


def _text(entry: Mapping[str, Any]) -> str:
    """A button's text is an object, a field's is plain."""
    text = entry["text"]
    return str(text["text"] if isinstance(text, dict) else text)


_PARTS: Mapping[str, tuple[int, str, int, int]] = {
    # type: characters of its text, name of its list, length of the list, characters of each entry
    "header": (HEADER_TEXT, "elements", 0, 0),
    "section": (SECTION_TEXT, "fields", SECTION_FIELDS, FIELD_TEXT),
    "context": (0, "elements", CONTEXT_ELEMENTS, CONTEXT_TEXT),
    "image": (0, "elements", 0, 0),
    "actions": (0, "elements", ACTIONS, BUTTON_LABEL),
}


def _block_faults(block: Block) -> Iterator[Fault]:
    kind = block["type"]
    if kind not in _PARTS:
        yield f"{kind} is not a block that we send"
        return
    text_limit, name, list_limit, entry_limit = _PARTS[kind]
    entries = block.get(name, ())
    yield from _over(f"{kind} text", len(block.get("text", {}).get("text", "")), text_limit)
    yield from _over(f"{kind} {name}", len(entries), list_limit)
    yield from _over(f"{kind} alt text", len(block.get("alt_text", "")), IMAGE_ALT)
    for entry in entries:
        yield from _over(f"{kind} {name} text", len(_text(entry)), entry_limit)
    if any(not text for text in texts(block)):
        yield f"{kind} has an empty text"


def _over(what: str, size: int, limit: int) -> list[Fault]:
    return [f"{what} is {size}, limit {limit}"] if size > limit else []
