"""The forms that a message can have, from the rich one with its picture down to text alone, and its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from atomic_tools import _slack_limits as limits
from atomic_tools._slack_blocks import body, image_alt, payload, top_text
from atomic_tools._slack_text import escaped

MESSAGE, PICTURED, PLAIN, TEXT = "message", "message.pictured", "message.plain", "message.text"
PART, WORDS = "part.", "picture.words"
"""Parts below the message: by number what did not fit into it, and what stands for a picture that is not there."""
WHY: Mapping[str, str] = {
    PLAIN: "Slack refused the formatted message; it was posted as plain text",
    TEXT: "Slack refused the message; its headline was posted, with the text as a file",
}
_SHOWN = 8_000
"""Characters of a report in plain sections, before escaping; all of it goes along as a file."""
_TABLE = 3
"""Sections of a table that stands for a picture."""
_STEP = 600
"""Characters before escaping that fit a section after it, at worst five for one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What belongs to the message: names of its picture and of other files, and the parts that go on below it.

    `whole` is the file that must be there where the message was simplified.
    """

    picture: str
    documents: tuple[str, ...]
    whole: str
    further: tuple[str, ...] = ()

    def of(self, part: str) -> tuple[str, ...]:
        """What must be found below a message of this form."""
        picture = (self.picture,) if self.picture and part != PICTURED else ()
        if part not in WHY:
            return (*self.further, *picture, *self.documents)
        return (*picture, *self.documents, *(() if self.whole in self.documents else (self.whole,)))


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


def further(channel: str, text: str, pages: Sequence[Sequence[Mapping[str, Any]]], key: str) -> list[dict[str, Any]]:
    """What goes on below the message."""
    return [payload(channel, text, page, key, f"{PART}{number}") for number, page in enumerate(pages, start=2)]


def wordy(channel: str, name: str, words: str, table: str, key: str) -> dict[str, Any]:
    """A picture that cannot be delivered, in words and as a table."""
    said = f"{name} could not be delivered." + (f" What it shows: {image_alt(words)}" if words else "")
    note = {"type": "section", "text": {"type": "plain_text", "text": said, "emoji": False}}
    figures = [block for block in body(table, "", "").pages[0] if block["type"] == "section"][:_TABLE]
    return payload(channel, f"{name} could not be delivered", [note, *figures], key, WORDS)


def top_text_or(text: str) -> str:
    return text if top_text(text) else "(no text)"
