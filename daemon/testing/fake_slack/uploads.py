"""Files in three steps: reserved, sent, completed; a share is seen when the workspace says so."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from typing import Any

from .workspace import File, Message, Refusal, Workspace

Arguments = Mapping[str, Any]


def reserve(workspace: Workspace, arguments: Arguments) -> Message:
    name, length = str(arguments.get("filename") or ""), int(arguments.get("length") or 0)
    if not name or length <= 0:
        raise Refusal("invalid_arguments")
    file = File(f"F{workspace.number():09d}", name, length)
    workspace.files[file.id] = file
    return {"file_id": file.id, "upload_url": f"/upload/{file.id}"}


def receive(workspace: Workspace, file_id: str, content: bytes) -> int:
    """HTTP status of the second step."""
    file = workspace.files.get(file_id)
    if file is None:
        return 404
    if len(content) != file.length:
        return 400
    file.content = content
    return 200


def complete(workspace: Workspace, arguments: Arguments) -> Message:
    named = arguments.get("files") or []
    entries = json.loads(named) if isinstance(named, str) else named
    files = [_whole(workspace, str(entry.get("id"))) for entry in entries]
    if not files:
        raise Refusal("invalid_arguments")
    for file in files:
        file.looked_at = None if workspace.look_after is None else workspace.now() + workspace.look_after
    if arguments.get("channel_id"):
        for file in files:
            _share(workspace, file, arguments)
    return {"files": [{"id": file.id, "title": file.name} for file in files]}


def info(workspace: Workspace, arguments: Arguments) -> Message:
    file = _whole(workspace, str(arguments.get("file")))
    shares: dict[str, list[Message]] = {}
    for at, channel, stamp in file.shares:
        if at <= workspace.now():
            shares.setdefault(channel, []).append({"ts": stamp})
    kind = (mimetypes.guess_type(file.name)[0] or "text/plain") if file.shown(workspace.now()) else ""
    facts = {"id": file.id, "name": file.name, "size": len(file.content or b""), "mimetype": kind}
    return {"file": {**facts, "shares": {"public": shares}}}


def _whole(workspace: Workspace, file_id: str) -> File:
    file = workspace.files.get(file_id)
    if file is None or file.content is None:
        raise Refusal("file_not_found")
    return file


def _share(workspace: Workspace, file: File, arguments: Arguments) -> None:
    channel = workspace.channels.get(str(arguments["channel_id"]))
    if channel is None or not channel.member:
        raise Refusal("channel_not_found" if channel is None else "not_in_channel")
    if workspace.share_after is None:
        return
    at = workspace.now() + workspace.share_after
    content = {"files": [{"id": file.id, "name": file.name}], "shown_at": at, "thread_ts": arguments.get("thread_ts")}
    message = workspace.put(channel, content)
    file.shares.append((at, channel.id, message["ts"]))
