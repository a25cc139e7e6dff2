"""Slack's Web API for one call of a tool: one request each, never beyond the deadline, nothing logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from atomic_tools._contract import ToolError, TransientError, UnknownOutcomeError
from atomic_tools._slack_faults import fault_of
from atomic_tools._slack_http import client

API = "https://slack.com/api/"
LONGEST = 30.0
"""Seconds for one socket operation, where the deadline leaves more."""
PAGE = 200
Answer = Mapping[str, Any]
_LET_THROUGH = (SlackClientError, OSError, HTTPException, ValueError)
"""What the client raises: its own, and whatever the network and an answer that is no JSON raise."""


class Whole(dict[str, Any]):
    """An answer. Who needs of it what it does not say gets the ToolError that this amounts to."""

    def __init__(self, told: Mapping[str, Any], lacking: Callable[[str], ToolError]) -> None:
        super().__init__(told)
        self._lacking = lacking

    def __missing__(self, name: str) -> Any:
        raise self._lacking(name)


@dataclass(frozen=True, slots=True)
class Slack:
    """`left` gives the seconds in which something may still be asked or sent."""

    token: str = field(repr=False)
    left: Callable[[], float]
    api: str = API

    def send(self, method: str, arguments: Mapping[str, Any], most: float = LONGEST) -> Answer:
        """Something that has an effect. Raises ToolError; UnknownOutcomeError where it may have happened."""
        try:
            told = self._client(most).api_call(method, json=dict(arguments))
        except _LET_THROUGH as error:
            raise fault_of(method, error) from None
        return Whole(told.data, lambda name: UnknownOutcomeError(f"{method}: an answer without {name}"))  # type: ignore[arg-type]

    def read(self, method: str, arguments: Mapping[str, Any], most: float = LONGEST) -> Answer:
        """Something that may be asked again. Raises ToolError, never UnknownOutcomeError."""
        try:
            told = self._client(most).api_call(method, params=dict(arguments))
        except _LET_THROUGH as error:
            fault = fault_of(method, error)
            if isinstance(fault, UnknownOutcomeError):
                raise TransientError(fault.message) from None
            raise fault from None
        return Whole(told.data, lambda name: TransientError(f"{method}: an answer without {name}"))  # type: ignore[arg-type]

    def pages(self, method: str, arguments: Mapping[str, Any]) -> Iterator[Answer]:
        """Every page, to the end."""
        cursor = ""
        while True:
            answer = self.read(method, {"limit": PAGE, **arguments, **({"cursor": cursor} if cursor else {})})
            yield answer
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    def _client(self, most: float) -> WebClient:
        left = self.left()
        if left <= 0:
            raise TransientError(f"not sent: the deadline had passed {-left:.1f} s before")
        return client(self.token, self.api, min(left, most))
