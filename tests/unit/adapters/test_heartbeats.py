"""Signs of life for somebody outside: given in order, never in the way, and not given by a loop that stands still."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from daemon.adapters.heartbeats import MOST_WAITING, Heartbeats, Targets
from daemon.domain.events import RunEnded, RunStarted
from daemon.domain.health import Pulse
from daemon.domain.model import RunState
from daemon.ports import Notice
from tests.builders import T0, a_run


@dataclass
class Listener:
    status: int = 200
    heard: list[str] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def wait(self, number: int) -> list[str]:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.heard) >= number, 5.0), self.heard
        return self.heard


@contextmanager
def listening() -> Iterator[tuple[Listener, str]]:
    listener = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            with listener.arrived:
                listener.heard.append(f"{self.path.partition('?')[0]} {body}".strip())
                listener.arrived.notify_all()
            self.send_response(listener.status)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield listener, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def beating(targets: Targets, pulse: Pulse, said: list[Notice]) -> Iterator[Heartbeats]:
    made = Heartbeats(targets, lambda: pulse, said.append)
    made.start()
    yield made
    made.stop(5.0)


def test_start_success_failure_and_cancellation_are_told_apart() -> None:
    with listening() as (listener, url), beating(Targets(jobs=url + "/{job}"), Pulse(), []) as beats:
        beats.emit(a_run(), RunStarted(T0))
        for state in (RunState.SUCCEEDED, RunState.DEGRADED, RunState.FAILED, RunState.CANCELLED):
            beats.emit(a_run(), RunEnded(T0, state, "because of 4111 1111 1111 1111"))
        beats.emit(replace(a_run(), dry_run=True), RunStarted(T0))
    assert listener.heard == [
        "/daily/start run-1",
        "/daily run-1 succeeded",
        "/daily run-1 degraded",
        "/daily/fail run-1 failed",
        "/daily/log run-1 cancelled",
    ]


def test_the_loops_sign_stops_with_the_loop() -> None:
    turns = iter([1, 2, 2, 2, 2, 2])
    asked = threading.Semaphore(0)

    def pulse() -> Pulse:
        asked.release()
        return Pulse(next(turns, 2))

    with listening() as (listener, url):
        beats = Heartbeats(Targets(loop=url + "/loop", every=0.02), pulse, lambda _: None)
        beats.start()
        for _ in range(6):
            assert asked.acquire(timeout=5.0)
        beats.stop(5.0)
    assert listener.heard == ["/loop 1 turns", "/loop 2 turns"]


def test_a_listener_that_is_away_is_told_once_and_holds_up_nobody() -> None:
    said: list[Notice] = []
    with beating(Targets(jobs="http://127.0.0.1:9/{job}", timeout=0.2), Pulse(), said) as beats:
        began = time.monotonic()
        for _ in range(2 * MOST_WAITING):
            beats.emit(a_run(), RunStarted(T0))
        assert time.monotonic() - began < 5.0
    assert [notice.topic for notice in said] == ["heartbeat_trouble"]
    assert "127.0.0.1" not in said[0].message


@pytest.mark.parametrize("status", [404, 500, 302])
def test_a_listener_that_refuses_is_told_and_so_is_that_it_hears_again(status: int) -> None:
    said: list[Notice] = []
    with listening() as (listener, url), beating(Targets(jobs=url + "/{job}"), Pulse(), said) as beats:
        listener.status = status
        beats.emit(a_run(), RunStarted(T0))
        listener.wait(1)
        listener.status = 200
        beats.emit(a_run(), RunStarted(T0))
        beats.emit(a_run(), RunStarted(T0))
        listener.wait(3)
    assert [notice.topic for notice in said][:2] == ["heartbeat_trouble", "heartbeat_answers"]
    assert str(status) in said[0].message
