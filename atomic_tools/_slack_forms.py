"""Simpler forms of a message, for when Slack refuses the rich one: plain sections, then text alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atomic_tools import _slack_limits as limits
from atomic_tools._slack_blocks import payload, top_text
from atomic_tools._slack_text import escaped

MESSAGE, PLAIN, TEXT = "message", "message.plain", "message.text"
WHY: Mapping[str, str] = {
    PLAIN: "Slack refused the formatted message; it was posted as plain text",
    TEXT: "Slack refused the message; its headline was posted, with the text as a file",
}
_SHOWN = 8_000
"""Characters of a report in plain sections, before escaping; all of it goes along as a file."""
_STEP = 600
"""Characters before escaping that fit a section after it, at worst five for one."""


def simpler(
    channel: str, text: str, markdown: str, below: Sequence[Mapping[str, Any]], key: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Plain sections, with the buttons, and then nothing but the text."""
    shown = markdown[:_SHOWN]
    pieces = [shown[start : start + _STEP] for start in range(0, len(shown), _STEP)]
    room, sections = limits.ALL_BLOCKS_TEXT - 2_000, []
    for piece in filter(str.strip, pieces):
        room -= len(escaped(piece))
        if room < 0 or not escaped(piece).strip():
            break
        sections.append({"type": "section", "text": {"type": "plain_text", "text": escaped(piece), "emoji": False}})
    plain = payload(channel, text, [*sections, *below], key, PLAIN)
    return plain, payload(channel, top_text_or(text), [], key, TEXT)


def top_text_or(text: str) -> str:
    return text if top_text(text) else "(no text)"
