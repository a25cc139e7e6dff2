"""What goes below a message besides its text: who is called for, and the buttons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from atomic_tools._slack_text import escaped

GROUP = "S"


class Button(BaseModel):
    """One button: with a `url` it opens that, else its `value` comes back with who pressed it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = Field(min_length=1, max_length=75)
    action: str = Field(min_length=1, max_length=255)
    value: str = Field(default="", max_length=2000)
    url: str = Field(default="", pattern=r"^(https?://[^\s<>|]+)?$", max_length=3000)
    style: Literal["", "primary", "danger"] = ""
    confirm: str = Field(default="", max_length=300)
    """Asked before the press counts."""


def blocks_below(mentions: Sequence[str], buttons: Sequence[Button]) -> Iterator[dict[str, Any]]:
    """The ids were checked, so these are the only angle brackets that ever reach Slack."""
    if mentions:
        text = " ".join(f"<!subteam^{each}>" if each.startswith(GROUP) else f"<@{each}>" for each in mentions)
        yield {"type": "section", "text": {"type": "mrkdwn", "text": text}}
    if buttons:
        yield {"type": "actions", "elements": [_button(each) for each in buttons]}


def _button(button: Button) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "button", "action_id": button.action, "text": _plain(button.label)}
    optional = {"value": button.value, "url": button.url, "style": button.style}
    made |= {name: value for name, value in optional.items() if value}
    return made | ({"confirm": _confirm(button)} if button.confirm else {})


def _confirm(button: Button) -> Mapping[str, Any]:
    return {
        "title": _plain(f"{button.label}?"),
        "text": _plain(button.confirm),
        "confirm": _plain(button.label[:30]),
        "deny": _plain("Cancel"),
    }


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": escaped(text), "emoji": False}
