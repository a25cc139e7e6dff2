"""Finds out what an endpoint really honours: servers ignore fields in silence, each of them others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from ...domain.answer import Unusable
from ...domain.llm import Llm, Mode
from ...domain.model import Json
from .dialect import WEAKER, Dialect, request
from .reply import Reply, answer_text
from .trouble import Fault, Trouble

WORD: Final = "walnut"
_SCHEMA: Final = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": [WORD]}},
    "required": ["word"],
    "additionalProperties": False,
}
_ASKED: Final = [{"role": "user", "content": "Greet me in one short sentence. If you must write JSON, be brief."}]
"""Nobody answers this with a walnut, unless the schema is honoured."""

Post = Callable[[Json, float], Reply]
Left = Callable[[], float]


def probe(llm: Llm, post: Post, left: Left) -> Dialect:
    """The strongest dialect that works; `left` says how many seconds there are. Raises Trouble."""
    start = Dialect(limit="max_completion_tokens" if _is_openai(llm) else "max_tokens")
    if llm.endpoint.mode:
        return replace(start, mode=llm.endpoint.mode)
    dialect, refused = start, None
    for mode in _modes():
        dialect, said = _try(replace(dialect, mode=mode), llm, post, left)
        if isinstance(said, Reply) and _honours(said, mode):
            return replace(dialect, counts_tokens=said.tokens_in is not None)
        refused = said if isinstance(said, Trouble) else None
    raise refused or Trouble(Fault.REFUSED_REQUEST, "the endpoint takes no question in any form")


def _is_openai(llm: Llm) -> bool:
    return llm.endpoint.azure is not None or not llm.endpoint.base_url


def _modes() -> Iterator[Mode]:
    mode: Mode | None = Mode.SCHEMA
    while mode:
        yield mode
        mode = WEAKER.get(mode)


def _try(dialect: Dialect, llm: Llm, post: Post, left: Left) -> tuple[Dialect, Reply | Trouble]:
    """The dialect as the server took it, and what it said, or why it would not take this mode at all."""
    while True:
        try:
            return dialect, post(request(dialect, llm, _ASKED, _SCHEMA), left())
        except Trouble as trouble:
            if trouble.fault not in (Fault.REFUSED_REQUEST, Fault.SERVER):
                raise
            corrected = dialect.without(trouble)
            if corrected is None:
                return dialect, trouble
            dialect = corrected


def _honours(reply: Reply, mode: Mode) -> bool:
    if mode is Mode.TEXT:
        return True
    if mode is Mode.TOOL and reply.arguments is None:
        return False
    try:
        value = json.loads(answer_text(reply, mode))
    except (Unusable, ValueError):
        return False
    return isinstance(value, dict) if mode is Mode.JSON else value == {"word": WORD}
