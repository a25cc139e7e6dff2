"""Presses that come by HTTP: verified by their signature, and taken at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs

from ...domain.errors import ClockwrightError
from ...domain.model import Json

MOST_BYTES = 1_000_000


class SlackRequests:
    """`handle` is what a web server mounts. `secret` reads the app's signing secret."""

    def __init__(self, secret: Callable[[], str], take: Callable[[Json], None], seconds: Callable[[], float]) -> None:
        self._secret = secret
        self._take = take
        self._seconds = seconds

    def handle(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Status and body of the answer: 200 once the press is taken, 401 for a signature that is not Slack's."""
        if len(body) > MOST_BYTES:
            return 413, "too large"
        try:
            genuine = self._verified(body, headers)
        except ClockwrightError:
            return 503, "no signing secret"
        if not genuine:
            return 401, "the signature is not right"
        payload = _payload(body)
        if payload is None:
            return 400, "there is no payload"
        self._take(payload)
        return 200, ""

    def _verified(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """The verifier raises for what only an attacker sends: a time that is no number, a body that is no text."""
        from slack_sdk.signature import Clock, SignatureVerifier  # noqa: PLC0415 - only who listens to Slack needs it

        clock = Clock()
        clock.now = self._seconds  # type: ignore[method-assign]  # the library has no other way to be told the time
        verifier = SignatureVerifier(self._secret(), clock=clock)
        try:
            return verifier.is_valid_request(body, dict(headers))
        except (ValueError, TypeError):  # UnicodeDecodeError is a ValueError
            return False


def _payload(body: bytes) -> Json | None:
    try:
        return json.loads(parse_qs(body.decode())["payload"][0])
    except (ValueError, KeyError):
        return None
