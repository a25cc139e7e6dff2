"""Files in a message or below it: reserved, sent, completed, and delivered only once that can be seen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import httpx

from atomic_tools._contract import BadDataError, ToolError, TransientError
from atomic_tools._delivery import Attachment
from atomic_tools._slack_client import Slack
from atomic_tools._slack_history import Post

SHOW_SECONDS = 10.0
"""How long Slack may take to look at a picture before it can be shown, where the deadline leaves twice that much."""
SHARE_SECONDS = 20.0
"""How long a share is waited for, where the deadline leaves that much."""
_RESERVE = 2.0
"""Seconds before the deadline at which waiting ends, so that the answer still gets home."""
_LONGEST_WAIT = 5.0
T = TypeVar("T")


def shown(slack: Slack, attachment: Attachment) -> str:
    """The id of a picture that a message can show: nobody sees it yet. Raises ToolError."""
    if not attachment.artifact.size:
        raise BadDataError(f"{attachment.artifact.name} is empty, and Slack takes no empty file")
    file_id = _once_more(slack, lambda: _upload(slack, attachment))
    files = json.dumps([{"id": file_id, "title": attachment.artifact.name}])
    with suppress(TransientError):  # whether it was completed shows when it is looked at
        slack.read("files.completeUploadExternal", {"files": files})
    until = time.monotonic() + min(SHOW_SECONDS, (slack.left() - _RESERVE) / 2)
    for pause in _pauses():
        file = _info(slack, file_id)
        if file.get("mimetype"):  # empty until Slack has looked at it
            return _whole(file_id, file, attachment.artifact.size)
        if time.monotonic() + pause >= until:
            raise TransientError(f"{attachment.artifact.name} was taken, but Slack is not done with it")
        time.sleep(pause)
    raise AssertionError("there is always another pause")


def attach(slack: Slack, post: Post, attachment: Attachment) -> str:
    """Share one file into the message's thread; why it is not there, or nothing."""
    name = attachment.artifact.name
    if not attachment.artifact.size:
        return f"{name} is empty, and Slack takes no empty file"
    try:
        file_id = _once_more(slack, lambda: _upload(slack, attachment))
        _complete(slack, post, file_id, name)
        seen = _shared(slack, file_id, post.channel, attachment.artifact.size)
    except ToolError as error:
        return f"{name} was not taken: {error.message}"
    return "" if seen else f"{name} was taken, but its share was not seen"


def _once_more(slack: Slack, work: Callable[[], T]) -> T:
    """What certainly was not done, tried again after a short pause."""
    try:
        return work()
    except TransientError as error:
        wait = error.retry_after.total_seconds() if error.retry_after else 0.5
        if wait > min(_LONGEST_WAIT, slack.left() - _RESERVE):
            raise
    time.sleep(wait)
    return work()


def _upload(slack: Slack, attachment: Attachment) -> str:
    """Nobody sees a file before it is completed, so what fails here may be begun anew."""
    asked = {"filename": attachment.artifact.name, "length": attachment.artifact.size}
    reserved = slack.read("files.getUploadURLExternal", asked)
    try:
        answer = httpx.post(
            reserved["upload_url"],
            content=attachment.path.read_bytes(),
            headers={"Content-Type": "application/octet-stream"},
            timeout=max(0.001, min(slack.left(), 30.0)),
        )
    except httpx.HTTPError as error:
        raise TransientError(f"the upload broke off ({type(error).__name__})") from None
    if not answer.is_success:
        raise TransientError(f"the upload was answered with HTTP {answer.status_code}")
    return str(reserved["file_id"])


def _complete(slack: Slack, post: Post, file_id: str, name: str) -> None:
    """Taken once. Where the answer is lost, whether the file is there shows in its shares."""
    files = [{"id": file_id, "title": name}]
    arguments = {"files": files, "channel_id": post.channel, "thread_ts": post.thread}
    try:
        _once_more(slack, lambda: slack.send("files.completeUploadExternal", arguments))
    except ToolError as error:
        if error.kind != "unknown_outcome":
            raise


def _shared(slack: Slack, file_id: str, channel: str, size: int) -> bool:
    """Looked at again and again until it is seen, or until time is up. Raises BadDataError for another size."""
    until = time.monotonic() + min(SHARE_SECONDS, slack.left() - _RESERVE)
    for pause in _pauses():
        file = _info(slack, file_id)
        if any(channel in where for where in (file.get("shares") or {}).values()):
            return bool(_whole(file_id, file, size))
        if time.monotonic() + pause >= until:
            break
        time.sleep(pause)
    return False


def _whole(file_id: str, file: Mapping[str, Any], size: int) -> str:
    """The id of a file that is there with every byte of it. Raises BadDataError."""
    if file.get("size", size) != size:
        raise BadDataError(f"Slack has {file['size']} of its {size} bytes")
    return file_id


def _pauses() -> Iterator[float]:
    """Seconds between two looks, without an end."""
    pause = 0.1
    while True:
        yield pause
        pause = min(pause * 2, 2.0)


def _info(slack: Slack, file_id: str) -> Mapping[str, Any]:
    """Empty where Slack cannot be asked just now."""
    try:
        file: Mapping[str, Any] = slack.read("files.info", {"file": file_id})["file"]
    except TransientError:
        return {}
    return file
