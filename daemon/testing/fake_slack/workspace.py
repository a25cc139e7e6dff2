"""What a Slack workspace holds: channels with their messages, files, and the tokens that may do something."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

TOKEN = "xoxb-fake-clockwright"  # noqa: S105 - it opens nothing but this stand-in
APP_TOKEN = "xapp-fake-clockwright"  # noqa: S105 - and neither does this
SCOPES = (
    "chat:write",
    "channels:read",
    "groups:read",
    "channels:history",
    "groups:history",
    "files:write",
    "files:read",
    "users:read",
    "metadata.message:read",
    "usergroups:read",
)
BOT_ID, BOT_USER, TEAM = "B0000CLOCK", "U0000CLOCK", "T0000TEST1"
Message = dict[str, Any]


class Refusal(Exception):
    """`ok: false` with this code."""

    def __init__(self, code: str, **more: str) -> None:
        super().__init__(code)
        self.code = code
        self.more = more


@dataclass
class Channel:
    id: str
    name: str
    private: bool = False
    archived: bool = False
    member: bool = True
    messages: list[Message] = field(default_factory=list)


@dataclass
class File:
    id: str
    name: str
    length: int
    content: bytes | None = None
    looked_at: float | None = None
    """When it is known what it is, so that a message can show it."""
    shares: list[tuple[float, str, str]] = field(default_factory=list)
    """When a share can be seen, in which channel, and by which timestamp."""

    def shown(self, now: float) -> bool:
        """Whether a message can show it."""
        return self.content is not None and self.looked_at is not None and self.looked_at <= now


@dataclass
class Workspace:
    """`lag`: seconds until history shows a message. `share_after`: until a file's share is seen; None for never.

    `look_after`: until a file was looked at and a message can show it; None for never.
    `most`: messages that one channel takes within a second; None for any number.
    """

    now: Callable[[], float] = time.time
    lag: float = 0.0
    share_after: float | None = 0.0
    look_after: float | None = 0.0
    most: int | None = None
    shows_metadata: bool = True
    tokens: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {TOKEN: SCOPES, APP_TOKEN: ("connections:write",)}
    )
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    whispers: list[Message] = field(default_factory=list)
    views: list[Message] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)
    socket_url: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1), repr=False)

    def __post_init__(self) -> None:
        if not self.channels:
            for number, name in enumerate(("general", "sales", "data-ops"), start=1):
                self.add(Channel(f"C00000000{number}", name))

    def add(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        return channel

    def called(self, name: str) -> Channel:
        """By id or name. Raises Refusal."""
        bare = name.removeprefix("#")
        for channel in self.channels.values():
            if bare in {channel.id, channel.name} and (channel.member or not channel.private):
                return channel
        raise Refusal("channel_not_found")

    @property
    def pictures(self) -> frozenset[str]:
        """Ids of the files that a message can show now."""
        now = self.now()
        return frozenset(file.id for file in self.files.values() if file.shown(now))

    def number(self) -> int:
        return next(self._numbers)

    def stamp(self) -> str:
        """Later than every one before it."""
        return f"{int(self.now())}.{self.number():06d}"

    def put(self, channel: Channel, content: Message) -> Message:
        message = {
            "type": "message",
            "ts": self.stamp(),
            "user": BOT_USER,
            "bot_id": BOT_ID,
            "shown_at": self.now() + self.lag,
            **content,
        }
        channel.messages.append(message)
        return message

    def is_full(self, channel: Channel) -> bool:
        """Whether the channel takes nothing more within this second."""
        since = self.now() + self.lag - 1.0
        return self.most is not None and sum(each["shown_at"] > since for each in channel.messages) >= self.most

    def shown(self, channel: Channel) -> list[Message]:
        """Newest first, as history has them."""
        now = self.now()
        return [message for message in reversed(channel.messages) if message["shown_at"] <= now]

    def with_key(self, key: str) -> list[tuple[Channel, Message]]:
        """Every message that was posted under an effect key, shown yet or not: what a test counts."""
        return [
            (channel, message)
            for channel in self.channels.values()
            for message in channel.messages
            if (message.get("metadata") or {}).get("event_payload", {}).get("key") == key
        ]
