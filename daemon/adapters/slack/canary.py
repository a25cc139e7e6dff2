"""Whether the real Slack would do what reports need: asked step by step, with one message that is deleted again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from .pen import SlackPen, fault

NEEDED = ("chat:write",)
HISTORY = ("channels:history", "groups:history")
USEFUL = {
    "channels:read": "channels can only be given by id",
    "groups:read": "private channels can only be given by id",
    "files:write": "charts and reports cannot be attached",
    "files:read": "whether an attached file arrived cannot be seen",
}
EVENT = "clockwright_check"
LAG_SECONDS = 15.0
"""How long history may take to show a message."""
_ID = re.compile(r"[CGD][A-Z0-9]{8,}")
State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    state: State
    about: str
    detail: str


class Stop(Exception):
    """What comes after this finding cannot be tried."""

    def __init__(self, about: str, detail: str) -> None:
        super().__init__(detail)
        self.finding = Finding("fail", about, detail)


class Canary:
    """`pause` waits some seconds."""

    def __init__(self, pen: SlackPen, pause: Callable[[float], None] = time.sleep) -> None:
        self._pen = pen
        self._pause = pause

    def findings(self, channel: str) -> Iterator[Finding]:
        """In order, up to the first that nothing can come after. Without a channel only the token is looked at."""
        try:
            yield from self._token()
            if not channel:
                yield Finding("warn", "channel", "no channel was named, so nothing was posted")
                return
            found = self._channel(channel)
            yield Finding("ok", "channel", f"{channel} is {found}, and the app is in it")
            yield from self._message(found)
        except Stop as stopped:
            yield stopped.finding

    def _token(self) -> Iterator[Finding]:
        answer = self._ask("token", "auth.test")
        yield Finding("ok", "token", f"{answer.get('user')} in {answer.get('team')}")
        held = _scopes(answer)
        if held is None:
            yield Finding("warn", "scopes", "Slack did not say which scopes the token has")
            return
        for missing in (scope for scope in NEEDED if scope not in held):
            yield Finding("fail", "scopes", f"{missing} is missing: nothing can be posted")
        if not held & set(HISTORY):
            yield Finding("fail", "scopes", "channels:history is missing: a lost answer cannot be looked up")
        for missing in (scope for scope in USEFUL if scope not in held):
            yield Finding("warn", "scopes", f"{missing} is missing: {USEFUL[missing]}")

    def _channel(self, name: str) -> str:
        known = name if _ID.fullmatch(name) else self._listed(name.removeprefix("#"))
        facts = self._ask("channel", "conversations.info", channel=known)["channel"]
        if facts.get("is_archived"):
            raise Stop("channel", f"{name} is archived")
        if not facts.get("is_member", True):
            raise Stop("channel", f"the app is not in {name}: invite it there")
        return known

    def _listed(self, name: str) -> str:
        cursor = ""
        while True:
            asked = {"types": "public_channel,private_channel", "limit": 200, "cursor": cursor}
            answer = self._ask("channel", "conversations.list", **asked)
            for channel in answer["channels"]:
                if channel["name"] == name:
                    return str(channel["id"])
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                raise Stop("channel", f"there is no channel {name!r} that the app can see")

    def _message(self, channel: str) -> Iterator[Finding]:
        key = uuid4().hex
        stamp = self._posted(channel, key)
        yield Finding("ok", "post", f"a message was posted ({stamp})")
        try:
            yield self._read_back(channel, stamp, key)
        finally:
            deleted = self._deleted(channel, stamp)
        yield deleted

    def _posted(self, channel: str, key: str) -> str:
        metadata = {"event_type": EVENT, "event_payload": {"key": key}}
        text = "A test of clockwright slack check; it will be deleted at once."
        return str(self._ask("post", "chat.postMessage", channel=channel, text=text, metadata=metadata)["ts"])

    def _read_back(self, channel: str, stamp: str, key: str) -> Finding:
        for _ in range(int(LAG_SECONDS)):
            asked = {"channel": channel, "oldest": stamp, "inclusive": True, "include_all_metadata": True}
            try:
                messages = self._ask("metadata", "conversations.history", **asked)["messages"]
            except Stop as stopped:
                return stopped.finding
            found = [message for message in messages if message["ts"] == stamp]
            if found:
                return _seen(found[0].get("metadata") or {}, key)
            self._pause(1.0)
        return Finding("fail", "metadata", f"history did not show the message within {LAG_SECONDS:.0f} s")

    def _deleted(self, channel: str, stamp: str) -> Finding:
        try:
            self._ask("delete", "chat.delete", channel=channel, ts=stamp)
        except Stop as stopped:
            return Finding("warn", "delete", f"the test message is still there: {stopped.finding.detail}")
        return Finding("ok", "delete", "the test message was deleted")

    def _ask(self, about: str, method: str, **arguments: Any) -> Any:
        """Raises Stop."""
        as_json = "metadata" in arguments
        try:
            return self._pen.ask(method, arguments, as_json=as_json)
        except Exception as error:  # noqa: BLE001  # the client lets through whatever the network raises
            raise Stop(about, fault(method, error).message) from None


def _seen(metadata: Mapping[str, Any], key: str) -> Finding:
    if (metadata.get("event_payload") or {}).get("key") == key:
        return Finding("ok", "metadata", "history shows the message with its metadata")
    return Finding(
        "fail", "metadata", "history shows the message without its metadata: a lost answer cannot be looked up"
    )


def _scopes(answer: Any) -> frozenset[str] | None:
    headers: Mapping[str, str] = getattr(answer, "headers", {})
    named = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    return None if named is None else frozenset(scope.strip() for scope in named.split(","))
