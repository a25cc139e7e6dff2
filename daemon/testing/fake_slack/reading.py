"""The methods that only look: conversations, users, who the token belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .workspace import BOT_ID, BOT_USER, TEAM, Channel, Message, Refusal, Workspace

Arguments = Mapping[str, Any]
MOST = 200


def auth(_: Workspace, __: Arguments) -> Message:
    return {
        "url": "https://example.slack.com/",
        "team": "Example",
        "team_id": TEAM,
        "user_id": BOT_USER,
        "user": "clockwright",
        "bot_id": BOT_ID,
    }


def channels(workspace: Workspace, arguments: Arguments) -> Message:
    types = str(arguments.get("types") or "public_channel").split(",")
    archived = not _true(arguments, "exclude_archived")
    found = [
        _facts(channel)
        for channel in workspace.channels.values()
        if ("private_channel" if channel.private else "public_channel") in types
        and (archived or not channel.archived)
        and (channel.member or not channel.private)
    ]
    return _page("channels", found, arguments)


def channel(workspace: Workspace, arguments: Arguments) -> Message:
    return {"channel": _facts(_by_id(workspace, arguments))}


def history(workspace: Workspace, arguments: Arguments) -> Message:
    found = workspace.shown(_readable(workspace, arguments))
    top = [message for message in found if message.get("thread_ts") in {None, message["ts"]} or _broadcast(message)]
    return _page("messages", _told(workspace, top, arguments), arguments)


def _broadcast(message: Message) -> bool:
    return bool(message.get("reply_broadcast"))


def replies(workspace: Workspace, arguments: Arguments) -> Message:
    found = list(reversed(workspace.shown(_readable(workspace, arguments))))
    parent = arguments.get("ts")
    thread = [message for message in found if parent in {message["ts"], message.get("thread_ts")}]
    if not thread:
        raise Refusal("thread_not_found")
    return _page("messages", _told(workspace, thread, arguments), arguments)


def user(_: Workspace, arguments: Arguments) -> Message:
    return {"user": {"id": arguments.get("user"), "name": "ada", "real_name": "Ada", "is_bot": False}}


def members(workspace: Workspace, arguments: Arguments) -> Message:
    found = workspace.groups.get(str(arguments.get("usergroup")))
    if found is None:
        raise Refusal("no_such_subteam")
    return {"users": found}


def _facts(channel: Channel) -> Message:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": True,
        "is_private": channel.private,
        "is_archived": channel.archived,
        "is_member": channel.member,
    }


def _by_id(workspace: Workspace, arguments: Arguments) -> Channel:
    """Unlike chat methods these take no names."""
    found = workspace.channels.get(str(arguments.get("channel") or ""))
    if found is None or (found.private and not found.member):
        raise Refusal("channel_not_found")
    return found


def _readable(workspace: Workspace, arguments: Arguments) -> Channel:
    found = _by_id(workspace, arguments)
    if not found.member:
        raise Refusal("not_in_channel")
    return found


def _told(workspace: Workspace, messages: Sequence[Message], arguments: Arguments) -> list[Message]:
    hidden = {"shown_at"}
    if not (workspace.shows_metadata and _true(arguments, "include_all_metadata")):
        hidden.add("metadata")
    oldest = float(arguments.get("oldest") or 0)
    inclusive = _true(arguments, "inclusive")
    return [
        {name: value for name, value in message.items() if name not in hidden}
        for message in messages
        if float(message["ts"]) > oldest or (inclusive and float(message["ts"]) == oldest)
    ]


def _true(arguments: Arguments, name: str) -> bool:
    return str(arguments.get(name, "")).lower() in {"1", "true"}


def _page(name: str, found: Sequence[Message], arguments: Arguments) -> Message:
    start = int(arguments.get("cursor") or 0)
    end = start + min(int(arguments.get("limit") or 100), MOST)
    return {name: list(found[start:end]), "response_metadata": {"next_cursor": str(end) if end < len(found) else ""}}
