"""What the supervisor makes of a worker's words, with a worker whose timing is the test's own."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from daemon.adapters.sandbox import frames, linux
from daemon.adapters.sandbox.custody import Custody
from daemon.adapters.sandbox.flight import Flight
from daemon.adapters.sandbox.handle import WorkerHandle
from daemon.adapters.sandbox.loop import Loop
from daemon.adapters.sandbox.protocol import Failed, Outcome, Succeeded, ToolCall, outcome_to_json

pytestmark = pytest.mark.slow

DONE = Succeeded({"text": "x"}, "x")


class Puppet:
    """A worker at the other end of whose socket sits the test; its process has already ended."""

    def __init__(self) -> None:
        ours, self.voice = socket.socketpair()
        tail, self.mouth = os.pipe()
        with subprocess.Popen(["true"]) as process:  # noqa: S607 - any that ends
            self.handle = WorkerHandle(process.pid, ours.detach(), tail, os.pidfd_open(process.pid))

    def say(self, *messages: object) -> None:
        for message in messages:
            self.voice.sendall(frames.pack(message))

    def close(self) -> None:
        self.handle.close()
        self.voice.close()
        os.close(self.mouth)


class Scene:
    """One flight in custody, and everything that custody did with it."""

    def __init__(self, puppet: Puppet) -> None:
        self.loop = Loop()
        self.ends: list[Outcome] = []
        self.requeued: list[Flight] = []
        self.puppet = puppet
        self.custody = Custody(self.loop, self._end, self.requeued.append)
        call = ToolCall("1", "echoes", "run", {}, "/", datetime.now(UTC), 60.0)
        self.flight = Flight(call, lambda _: None)

    def _end(self, flight: Flight, outcome: Outcome) -> None:
        flight.ended = True
        self.ends.append(outcome)

    def board(self) -> None:
        self.custody.board(self.flight, self.puppet.handle)

    def turn(self) -> None:
        self.loop.turn()


@pytest.fixture
def scene() -> Iterator[Scene]:
    puppet = Puppet()
    scene = Scene(puppet)
    yield scene
    puppet.close()
    scene.loop.run(until=lambda: True)


def test_an_answer_that_comes_at_once_ends_the_call_once_and_leaves_no_watch(scene: Scene) -> None:
    scene.puppet.say({"taken": 1}, {"outcome": outcome_to_json(DONE)})
    scene.board()
    scene.turn()
    scene.loop.alarms.ring(linux.now() + 3.0)
    assert scene.ends == [DONE]
    assert scene.loop.alarms.wait(linux.now()) is None


def test_a_worker_that_took_the_call_at_once_has_its_whole_timeout(scene: Scene) -> None:
    scene.puppet.say({"taken": 1})
    scene.board()
    scene.turn()
    wait = scene.loop.alarms.wait(linux.now())
    assert wait is not None
    assert wait > 50


def test_last_words_in_the_socket_of_a_dead_worker_count(scene: Scene) -> None:
    scene.board()
    scene.puppet.say({"taken": 1}, {"outcome": outcome_to_json(DONE)})
    scene.custody.exited(scene.puppet.handle, 0)
    assert scene.ends == [DONE]


def test_a_call_that_no_tool_has_begun_goes_back_to_the_queue(scene: Scene) -> None:
    scene.board()
    scene.custody.exited(scene.puppet.handle, 9)
    assert scene.requeued == [scene.flight]
    assert not scene.ends


def test_a_doomed_call_takes_no_answer(scene: Scene) -> None:
    scene.board()
    scene.puppet.say({"taken": 1}, {"outcome": outcome_to_json(DONE)})
    scene.custody.doom(scene.flight, Failed("interrupted", "stopped"))
    scene.custody.exited(scene.puppet.handle, 9)
    assert scene.ends == [Failed("interrupted", "stopped")]


@pytest.mark.parametrize("words", [b"\0" * 7 + b"\1{", b"\xff" * 8, b"\0" * 7 + b"\3NaN"])
def test_words_that_are_no_frame_of_ours_end_the_call_as_wrong_output(scene: Scene, words: bytes) -> None:
    scene.puppet.say({"taken": 1})
    scene.puppet.voice.sendall(words)
    scene.board()
    scene.turn()
    scene.custody.exited(scene.puppet.handle, 9)
    (outcome,) = scene.ends
    assert isinstance(outcome, Failed)
    assert outcome.kind == "invalid_output"
