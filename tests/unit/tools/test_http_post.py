"""Posting once, against a receiver on loopback that takes, lags, refuses, or takes and drops its answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from atomic_tools import (
    CannotTell,
    DeniedError,
    Found,
    InvalidInputError,
    MisconfiguredError,
    NotFound,
    ToolContext,
    ToolError,
    TransientError,
    UnknownOutcomeError,
)
from atomic_tools.http_post import Input, http_post


@dataclass
class Receiver:
    """What it is told to answer, and every request that reached it."""

    port: int = 0
    status: int = 201
    headers: dict[str, str] = field(default_factory=dict)
    drops: bool = False
    status_of_status: int | None = None
    arrived: list[tuple[str, Any, str | None]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/orders"

    def post(self, key: str, body: Any, token: str | None) -> int | None:
        self.arrived.append((key, body, token))
        return None if self.drops else self.status

    def has(self, key: str) -> int:
        known = any(key == arrived for arrived, _, _ in self.arrived)
        return self.status_of_status or (200 if known else 404)


def handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            code = receiver.post(self.headers["Idempotency-Key"], body, self.headers["Authorization"])
            if code is not None:
                self.answer(code)

        def do_GET(self) -> None:
            self.answer(receiver.has(self.path.rpartition("/")[2]))

        def answer(self, code: int) -> None:
            self.send_response(code)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    return Handler


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(receiver))
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    with closing(server.socket):
        yield receiver
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    deadline = datetime.now(UTC) + timedelta(seconds=20)
    return ToolContext(tmp_path, deadline, "key-1", secrets={"token": "t0ken"}, outbox=tmp_path / "outbox")


def order(receiver: Receiver, **given: Any) -> Input:
    status = f"http://127.0.0.1:{receiver.port}/status/{{key}}"
    return Input(**{"url": receiver.url, "body": {"id": 7}, "status_url": status, **given})


def ask(request: Input, context: ToolContext) -> object:
    assert http_post.reconcile is not None
    return http_post.reconcile(request, context)


def test_the_receiver_gets_body_key_and_token_in_one_request(receiver: Receiver, context: ToolContext) -> None:
    output = http_post(order(receiver), context)
    assert receiver.arrived == [("key-1", {"id": 7}, "Bearer t0ken")]
    assert output.summary() == f"delivered to {receiver.url} (201)"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (302, MisconfiguredError),
        (400, InvalidInputError),
        (401, DeniedError),
        (403, DeniedError),
        (404, MisconfiguredError),
        (409, UnknownOutcomeError),
        (422, InvalidInputError),
        (429, TransientError),
        (500, UnknownOutcomeError),
        (502, UnknownOutcomeError),
        (503, TransientError),
    ],
)
def test_every_refusal_has_its_kind_and_is_not_repeated_in_the_attempt(
    receiver: Receiver, context: ToolContext, status: int, error: type[ToolError]
) -> None:
    receiver.status = status
    with pytest.raises(error, match=str(status)):
        http_post(order(receiver), context)
    assert len(receiver.arrived) == 1


@pytest.mark.parametrize(("asked", "least", "most"), [("7", 7, 7), ("Wed, 01 Jan 2200 00:00:00 GMT", 10**9, 10**11)])
def test_how_long_to_wait_is_what_the_receiver_asked_for(
    receiver: Receiver, context: ToolContext, asked: str, least: int, most: int
) -> None:
    receiver.status, receiver.headers = 429, {"Retry-After": asked}
    with pytest.raises(TransientError) as caught:
        http_post(order(receiver), context)
    assert caught.value.retry_after is not None
    assert least <= caught.value.retry_after.total_seconds() <= most


def test_an_answer_that_is_dropped_leaves_the_outcome_unknown_until_the_receiver_is_asked(
    receiver: Receiver, context: ToolContext
) -> None:
    receiver.drops = True
    with pytest.raises(UnknownOutcomeError):
        http_post(order(receiver), context)
    found = ask(order(receiver), context)
    assert isinstance(found, Found)
    assert len(receiver.arrived) == 1


def test_a_receiver_that_has_nothing_says_so(receiver: Receiver, context: ToolContext) -> None:
    assert ask(order(receiver), context) == NotFound()


@pytest.mark.parametrize("status", [401, 500, 302])
def test_a_status_address_that_fails_proves_nothing(receiver: Receiver, context: ToolContext, status: int) -> None:
    receiver.status_of_status = status
    assert isinstance(ask(order(receiver), context), CannotTell)


def test_without_a_status_address_nobody_can_tell(receiver: Receiver, context: ToolContext) -> None:
    assert isinstance(ask(order(receiver, status_url=None), context), CannotTell)


def test_a_receiver_that_is_away_was_sent_nothing(receiver: Receiver, context: ToolContext) -> None:
    nobody = order(receiver, url="http://127.0.0.1:9/", status_url="http://127.0.0.1:9/{key}")
    with pytest.raises(TransientError):
        http_post(nobody, context)
    assert isinstance(ask(nobody, context), CannotTell)


def test_nothing_is_sent_after_the_deadline(receiver: Receiver, context: ToolContext) -> None:
    with pytest.raises(TransientError, match="not sent"):
        http_post(order(receiver), replace(context, deadline=datetime.now(UTC)))
    assert not receiver.arrived


def test_a_dry_run_reaches_the_outbox_and_nobody_else(receiver: Receiver, context: ToolContext) -> None:
    dry = replace(context, dry_run=True)
    assert ask(order(receiver), dry) == NotFound()
    output = http_post(order(receiver), dry)
    assert json.loads(Path(output.model_dump()["location"]).read_text()) == {"url": receiver.url, "body": {"id": 7}}
    assert isinstance(ask(order(receiver), dry), Found)
    assert not receiver.arrived
