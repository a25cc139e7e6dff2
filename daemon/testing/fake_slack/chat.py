"""The chat methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .limits import check
from .workspace import BOT_ID, Channel, Message, Refusal, Workspace

Arguments = Mapping[str, Any]
_KEPT = ("text", "blocks", "metadata", "thread_ts", "reply_broadcast")


def post(workspace: Workspace, arguments: Arguments) -> Message:
    channel = _writable(workspace, arguments)
    if workspace.is_full(channel):
        raise Refusal("ratelimited")
    check(arguments, workspace.pictures)
    thread = arguments.get("thread_ts")
    if thread and not any(message["ts"] == thread for message in channel.messages):
        raise Refusal("thread_not_found")
    message = workspace.put(channel, {name: arguments[name] for name in _KEPT if arguments.get(name)})
    return {"channel": channel.id, "ts": message["ts"], "message": _told(message)}


def update(workspace: Workspace, arguments: Arguments) -> Message:
    channel, message = _own(workspace, arguments)
    if len(arguments.get("text") or "") > 4_000:
        raise Refusal("msg_too_long")
    check(arguments, workspace.pictures)
    message.update({name: arguments[name] for name in _KEPT[:3] if name in arguments})
    return {"channel": channel.id, "ts": message["ts"], "text": message.get("text", "")}


def delete(workspace: Workspace, arguments: Arguments) -> Message:
    channel, message = _own(workspace, arguments)
    channel.messages.remove(message)
    return {"channel": channel.id, "ts": message["ts"]}


def permalink(workspace: Workspace, arguments: Arguments) -> Message:
    channel, message = _own(workspace, {**arguments, "ts": arguments.get("message_ts")})
    link = f"https://example.slack.com/archives/{channel.id}/p{message['ts'].replace('.', '')}"
    return {"channel": channel.id, "permalink": link}


def whisper(workspace: Workspace, arguments: Arguments) -> Message:
    _writable(workspace, arguments)
    check(arguments, workspace.pictures)
    workspace.whispers.append(dict(arguments))
    return {"message_ts": workspace.stamp()}


def show(workspace: Workspace, arguments: Arguments) -> Message:
    if not arguments.get("trigger_id"):
        raise Refusal("invalid_trigger_id")
    workspace.views.append(dict(arguments))
    return {"view": arguments.get("view")}


def _writable(workspace: Workspace, arguments: Arguments) -> Channel:
    channel = workspace.called(str(arguments.get("channel") or ""))
    if channel.archived:
        raise Refusal("is_archived")
    if not channel.member:
        raise Refusal("not_in_channel")
    return channel


def _own(workspace: Workspace, arguments: Arguments) -> tuple[Channel, Message]:
    channel = workspace.called(str(arguments.get("channel") or ""))
    for message in channel.messages:
        if message["ts"] == arguments.get("ts") and message["bot_id"] == BOT_ID:
            return channel, message
    raise Refusal("message_not_found")


def _told(message: Message) -> Message:
    return {name: value for name, value in message.items() if name != "shown_at"}
