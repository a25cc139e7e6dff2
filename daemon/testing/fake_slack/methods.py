"""Every method by its name: the scopes that it needs, any one of which will do, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import chat, reading, sockets, uploads
from .workspace import Message, Refusal, Workspace

Method = Callable[[Workspace, Mapping[str, Any]], Message]
_READ = ("channels:read", "groups:read")
_HISTORY = ("channels:history", "groups:history")
METHODS: Mapping[str, tuple[tuple[str, ...], Method]] = {
    "auth.test": ((), reading.auth),
    "apps.connections.open": (("connections:write",), sockets.connect),
    "chat.postMessage": (("chat:write",), chat.post),
    "chat.update": (("chat:write",), chat.update),
    "chat.delete": (("chat:write",), chat.delete),
    "chat.getPermalink": ((), chat.permalink),
    "chat.postEphemeral": (("chat:write",), chat.whisper),
    "conversations.list": (_READ, reading.channels),
    "conversations.info": (_READ, reading.channel),
    "conversations.history": (_HISTORY, reading.history),
    "conversations.replies": (_HISTORY, reading.replies),
    "files.getUploadURLExternal": (("files:write",), uploads.reserve),
    "files.completeUploadExternal": (("files:write",), uploads.complete),
    "files.info": (("files:read",), uploads.info),
    "usergroups.users.list": (("usergroups:read",), reading.members),
    "users.info": (("users:read",), reading.user),
    "views.open": ((), chat.show),
}


def call(workspace: Workspace, method: str, token: str, arguments: Mapping[str, Any]) -> Message:
    """The answer's fields. Raises Refusal."""
    known = METHODS.get(method)
    if known is None:
        raise Refusal("unknown_method")
    if not token:
        raise Refusal("not_authed")
    if token not in workspace.tokens:
        raise Refusal("invalid_auth")
    scopes, do = known
    _expect_scope(workspace.tokens[token], scopes, str(arguments.get("types") or ""))
    with workspace.lock:
        return do(workspace, arguments)


def _expect_scope(held: tuple[str, ...], any_of: tuple[str, ...], types: str) -> None:
    wanted = {"private_channel": "groups:read", "public_channel": "channels:read"}
    needed = [wanted[each] for each in types.split(",") if each in wanted]
    missing = [scope for scope in needed if scope not in held]
    if any_of and not needed and not set(any_of) & set(held):
        missing = [any_of[0]]
    if missing:
        raise Refusal("missing_scope", needed=missing[0], provided=",".join(held))
