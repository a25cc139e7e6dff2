"""What Slack refuses in a message, by its reference: counted here on its own, so that our own table is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from .workspace import Refusal

Block = Mapping[str, Any]


def check(arguments: Mapping[str, Any], pictures: Set[str]) -> None:
    """Raises Refusal as chat.postMessage does; `pictures` are the ids of the files that a message can show."""
    text, blocks = arguments.get("text") or "", arguments.get("blocks") or []
    if not text and not blocks:
        raise Refusal("no_text")
    if len(text) > 40_000:
        raise Refusal("msg_too_long")
    if not isinstance(blocks, list) or len(blocks) > 50:
        raise Refusal("invalid_blocks")
    for block in blocks:
        if not isinstance(block, dict) or not _fine(block, pictures):
            raise Refusal("invalid_blocks")
    if sum(len(shown) for block in blocks for shown in _texts(block)) > 13_100:
        raise Refusal("msg_blocks_too_long")
    _metadata(arguments.get("metadata"))


def _metadata(metadata: Any) -> None:
    if metadata is None:
        return
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_type"), str):
        raise Refusal("invalid_metadata_format")
    payload = metadata.get("event_payload")
    if not isinstance(payload, dict) or any(isinstance(value, dict) for value in payload.values()):
        raise Refusal("invalid_metadata_schema")
    if len(json.dumps(metadata)) > 8_000:
        raise Refusal("metadata_too_large")


def _texts(block: Block) -> Iterator[str]:
    text = block.get("text")
    if isinstance(text, dict):
        yield str(text.get("text", ""))
    for each in (*block.get("fields", ()), *block.get("elements", ())):
        inner = each.get("text", "")
        yield str(inner.get("text", "") if isinstance(inner, dict) else inner)


def _fine(block: Block, pictures: Set[str]) -> bool:
    if len(str(block.get("block_id", ""))) > 255:
        return False
    match block.get("type"):
        case "section":
            return _section(block)
        case "header":
            return _text(block.get("text"), 150, ("plain_text",))
        case "context":
            return _all(block.get("elements"), 10, lambda each: _text(each, 3_000))
        case "actions":
            return _all(block.get("elements"), 25, _button)
        case "image":
            return _image(block, pictures)
        case "divider":
            return True
        case _:
            return False


def _section(block: Block) -> bool:
    fields = block.get("fields")
    if fields is not None and not _all(fields, 10, lambda each: _text(each, 2_000)):
        return False
    return _text(block.get("text"), 3_000) if "text" in block else bool(fields)


def _text(text: Any, limit: int, kinds: Sequence[str] = ("plain_text", "mrkdwn")) -> bool:
    return isinstance(text, dict) and text.get("type") in kinds and 1 <= len(text.get("text", "")) <= limit


def _all(entries: Any, limit: int, fine: Any) -> bool:
    return isinstance(entries, list) and 1 <= len(entries) <= limit and all(fine(each) for each in entries)


def _button(button: Any) -> bool:
    sizes = {"value": 2_000, "url": 3_000, "action_id": 255}
    within = all(len(button.get(name, "")) <= limit for name, limit in sizes.items())
    return within and button.get("type") == "button" and _text(button.get("text"), 75, ("plain_text",))


def _image(block: Block, pictures: Set[str]) -> bool:
    named = str((block.get("slack_file") or {}).get("id"))
    described = bool(block.get("alt_text")) and len(block["alt_text"]) <= 2_000
    return described and ((named in pictures) != bool(block.get("image_url")))
