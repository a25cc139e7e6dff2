"""What an endpoint understands, and a request written so that it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ...domain.llm import Llm, Mode
from ...domain.model import Json
from .reply import TOOL_NAME
from .trouble import Trouble

Message = dict[str, str]
WEAKER: Final = {Mode.SCHEMA: Mode.TOOL, Mode.TOOL: Mode.JSON, Mode.JSON: Mode.TEXT}


@dataclass(frozen=True, slots=True)
class Dialect:
    """`limit` is what the server calls the most tokens of an answer; some models take no temperature."""

    mode: Mode = Mode.SCHEMA
    limit: str = "max_tokens"
    temperature: bool = True
    counts_tokens: bool = True

    def without(self, trouble: Trouble) -> Dialect | None:
        """The dialect that avoids what a request was refused for; None where that is not to be known."""
        said = f"{trouble.param} {trouble}".lower()
        if self.limit == "max_tokens" and "max_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return None


def request(dialect: Dialect, llm: Llm, messages: Sequence[Message], schema: Json) -> dict[str, Any]:
    """The body of one request. No streaming, one choice, nothing kept at the provider."""
    body: dict[str, Any] = {
        "model": llm.endpoint.azure.deployment if llm.endpoint.azure else llm.endpoint.model,
        "messages": list(messages),
        dialect.limit: llm.max_tokens,
    }
    if dialect.temperature:
        body["temperature"] = llm.temperature
    return {**body, **_shape(dialect.mode, schema)}


def _shape(mode: Mode, schema: Json) -> dict[str, Any]:
    if mode is Mode.SCHEMA:
        shape = {"name": TOOL_NAME, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}
    if mode is Mode.TOOL:
        function = {"name": TOOL_NAME, "strict": True, "parameters": schema}
        chosen = {"type": "function", "function": {"name": TOOL_NAME}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": chosen}
    return {"response_format": {"type": "json_object"}} if mode is Mode.JSON else {}
