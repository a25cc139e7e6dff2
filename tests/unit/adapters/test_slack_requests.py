"""Presses by HTTP: only what Slack has signed is taken, and whatever else comes is answered, not raised."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from daemon.adapters.slack.requests import SlackRequests
from daemon.config.secrets import SecretMissing

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
NOW = 1_772_352_000.0


class Receiver:
    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.requests = SlackRequests(lambda: SECRET, self.taken.append, lambda: NOW)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


def body(payload: object) -> bytes:
    return urlencode({"payload": json.dumps(payload)}).encode()


def signed(content: bytes, at: str = str(int(NOW)), secret: str = SECRET) -> dict[str, str]:
    base = b"v0:" + at.encode() + b":" + content
    digest = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {"x-slack-request-timestamp": at, "x-slack-signature": f"v0={digest}"}


def test_a_signed_press_is_taken(receiver: Receiver) -> None:
    content = body({"type": "block_actions"})
    assert receiver.requests.handle(content, signed(content)) == (200, "")
    assert receiver.taken == [{"type": "block_actions"}]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(body({}), secret="another"),  # noqa: S106
        signed(body({"other": 1})),
        signed(body({}), at=str(int(NOW) - 301)),
        {**signed(body({})), "x-slack-request-timestamp": "soon"},
        {**signed(body({})), "x-slack-signature": "v0=é"},
    ],
    ids=["none", "another secret", "another body", "too old", "a time that is no number", "not ASCII"],
)
def test_anything_else_is_refused(receiver: Receiver, headers: dict[str, str]) -> None:
    assert receiver.requests.handle(body({}), headers)[0] == 401
    assert receiver.taken == []


def test_a_body_that_is_no_text_is_refused(receiver: Receiver) -> None:
    assert receiver.requests.handle(b"\xff\xfe", signed(b"\xff\xfe"))[0] == 401


@pytest.mark.parametrize("content", [b"", b"payload=nonsense", b"other=1"])
def test_a_signed_body_without_a_payload_is_a_bad_request(receiver: Receiver, content: bytes) -> None:
    assert receiver.requests.handle(content, signed(content))[0] == 400


def test_a_huge_body_is_not_even_looked_at(receiver: Receiver) -> None:
    content = b"x" * 1_000_001
    assert receiver.requests.handle(content, signed(content))[0] == 413


def test_without_a_secret_nothing_is_believed() -> None:
    def missing() -> str:
        raise SecretMissing("no secret 'signing' is configured")

    taken: list[Any] = []
    content = body({})
    assert SlackRequests(missing, taken.append, lambda: NOW).handle(content, signed(content))[0] == 503
    assert taken == []
