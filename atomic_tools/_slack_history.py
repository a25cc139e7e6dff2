"""What Slack has under an effect key: read back from the metadata of the channel's messages."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from atomic_tools._contract import CannotTell
from atomic_tools._slack_client import Slack

EVENT = "clockwright"
LOOK_BACK = 8 * 86_400.0
"""Seconds of history that are read where it is not known since when a message may be there (docs/slack.md)."""
MARGIN = 86_400.0
"""Seconds before that: an attempt may have begun some time before its deadline, and clocks differ."""
MOST_PAGES = 100
_FIRST = ("message", "")
"""What the part of a message is called, in whatever form, and not of what goes on below it."""
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Post:
    """A message of ours that Slack has. `part` tells in which form it was taken."""

    channel: str
    stamp: str
    thread: str
    part: str


def oldest(since: datetime | None) -> str:
    """The stamp from which on a message may be there that was sent after `since`."""
    return f"{(since.timestamp() if since else time.time() - LOOK_BACK) - MARGIN:.6f}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a channel, a thread in it, and the stamp of the oldest message that counts."""

    channel: str
    thread: str
    oldest: str


def find(slack: Slack, place: Place, key: str) -> Post | CannotTell | None:
    """None only where every page was read, and where our own messages show the metadata they were sent with.

    Raises ToolError; TransientError where Slack is away.
    """
    me = str(slack.read("auth.test", {}).get("bot_id") or "")
    blind, seeing = False, False
    for number, message in _messages(slack, place):
        if number > MOST_PAGES:
            return CannotTell(f"more than {MOST_PAGES} pages of history, and not read to the end")
        payload = _payload(message)
        part = str(payload.get("part") or "") if payload else ""
        if payload is not None and payload.get("key") == key and part.partition(".")[0] in _FIRST:
            return Post(place.channel, message["ts"], place.thread or message["ts"], part)
        if me and message.get("bot_id") == me and not message.get("files"):  # a shared file never has any
            blind, seeing = blind or payload is None, seeing or payload is not None
    if blind and not seeing:
        return CannotTell("Slack's history shows our messages without their metadata")
    return None if me else CannotTell("Slack does not say who we are, so none of its messages is known as ours")


def _messages(slack: Slack, place: Place) -> Iterator[tuple[int, Message]]:
    """With the number of their page."""
    asked = {"channel": place.channel, "oldest": place.oldest, "include_all_metadata": True}
    method, where = ("conversations.replies", {"ts": place.thread}) if place.thread else ("conversations.history", {})
    for number, page in enumerate(slack.pages(method, {**asked, **where}), start=1):
        for message in page["messages"]:
            yield number, message


def _payload(message: Message) -> Mapping[str, Any] | None:
    metadata = message.get("metadata") or {}
    return metadata.get("event_payload") or {} if metadata.get("event_type") == EVENT else None


def below(slack: Slack, post: Post, key: str) -> frozenset[str]:
    """Names of the files that were shared below a message, and of the parts that go on there. Raises ToolError."""
    asked = {"channel": post.channel, "ts": post.thread, "include_all_metadata": True}
    return frozenset(
        name
        for page in slack.pages("conversations.replies", asked)
        for message in page["messages"]
        if float(message["ts"]) > float(post.stamp)
        for name in _carried(message, key)
    )


def _carried(message: Message, key: str) -> Iterator[str]:
    payload = _payload(message) or {}
    if payload.get("key") == key:
        yield str(payload.get("part"))
    yield from (str(file.get("name")) for file in message.get("files") or ())
