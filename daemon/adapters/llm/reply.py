"""What an endpoint answered, read from the bytes themselves: libraries differ in how they fail on odd bodies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...domain.answer import Cause, Unusable
from ...domain.llm import Mode
from .trouble import Fault, Trouble

TOOL_NAME = "decide"
BODY_BYTES = 1024 * 1024
MOST_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """Tokens are None where the server does not count them."""

    text: str
    finish: str = "stop"
    refusal: str = ""
    arguments: str | None = None
    """Of the forced call, where there was one."""
    tokens_in: int | None = None
    tokens_out: int | None = None


def read(body: bytes) -> Reply:
    """Raises Trouble where this is no chat completion."""
    if len(body) > BODY_BYTES:
        raise Trouble(Fault.UNREADABLE, f"the answer takes more than {BODY_BYTES} bytes")
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise Trouble(Fault.UNREADABLE, f"the answer is not JSON: {body[:80]!r}") from None
    if not isinstance(data, dict) or data.get("error"):
        raise Trouble(Fault.UNREADABLE, f"the answer is no completion: {str(data)[:160]}")
    return _reply(data)


def _reply(data: dict[str, Any]) -> Reply:
    choice = _first(data.get("choices"))
    message = _mapping(choice.get("message"))
    usage = _mapping(data.get("usage"))
    return Reply(
        text=_text(message.get("content")),
        finish=str(choice.get("finish_reason") or ("stop" if choice else "nothing")),
        refusal=_text(message.get("refusal")),
        arguments=_arguments(message.get("tool_calls")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
    )


def answer_text(reply: Reply, mode: Mode) -> str:
    """The text to be judged. Raises Unusable for what is not an answer at all."""
    if reply.refusal:
        raise Unusable(Cause.REFUSED, reply.refusal[:200])
    if reply.finish == "content_filter":
        raise Unusable(Cause.FILTERED, "the content filter held the answer back")
    if reply.finish == "length":
        raise Unusable(Cause.TRUNCATED, "the answer was cut off; be brief")
    if mode is Mode.TOOL and reply.arguments is not None:
        return reply.arguments
    if reply.finish == "tool_calls" or (reply.arguments is not None and not reply.text):
        raise Unusable(Cause.INVALID, "a call of a tool instead of an answer")
    if not reply.text.strip():
        raise Unusable(Cause.EMPTY, "there is no answer")
    return reply.text


def _first(choices: Any) -> dict[str, Any]:
    return _mapping(choices[0]) if isinstance(choices, list) and choices else {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: Any) -> str:
    """Some servers send a list of parts."""
    if isinstance(content, list):
        return "".join(_text(_mapping(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _arguments(calls: Any) -> str | None:
    function = _mapping(_first(calls).get("function"))
    if function.get("name") != TOOL_NAME or len(calls) != 1:
        return None
    return _text(function.get("arguments"))


def _count(number: Any) -> int | None:
    """Nothing where it is no count that an answer can have."""
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < MOST_TOKENS else None
