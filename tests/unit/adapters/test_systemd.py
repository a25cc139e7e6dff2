"""The watchdog is fed by a turn of the loop, and readiness is told once there is some."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from daemon.adapters.systemd import Heartbeat, Notifier
from daemon.domain.deadlines import Deadline
from daemon.domain.health import Health
from daemon.domain.status import status_line
from tests.builders import T0, after

WELL = Health(alive=True, ready=True)


@dataclass
class Sleepless:
    slept: list[datetime] = field(default_factory=list)

    def wait(self, until: datetime) -> None:
        self.slept.append(until)


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(str(tmp_path / "notify"))
        made.setblocking(False)
        yield made


def heard(ear: socket.socket) -> list[str]:
    messages = []
    while True:
        try:
            messages.append(ear.recv(4096).decode())
        except BlockingIOError:
            return messages


def test_a_turn_feeds_the_watchdog_and_the_first_good_one_is_ready(ear: socket.socket) -> None:
    state = [Health(alive=True, ready=False, why="the store: locked")]
    sleeper = Sleepless()
    heart = Heartbeat(sleeper, Notifier(ear.getsockname()), lambda: state[-1], lambda: "3 jobs")
    heart.wait(T0)
    assert heard(ear) == ["WATCHDOG=1", "STATUS=the store: locked"]
    state.append(WELL)
    heart.wait(T0)
    assert heard(ear) == ["WATCHDOG=1", "STATUS=3 jobs", "READY=1"]
    heart.wait(T0)
    assert heard(ear) == ["WATCHDOG=1"]
    assert sleeper.slept == [T0, T0, T0]


def test_without_a_manager_nothing_is_asked_and_nothing_said() -> None:
    heart = Heartbeat(Sleepless(), Notifier(), pytest.fail, pytest.fail)
    heart.wait(T0)


def test_the_socket_is_taken_out_of_the_environment() -> None:
    environ = {"NOTIFY_SOCKET": "@abstract", "WATCHDOG_USEC": "1", "PATH": "/bin"}
    assert Notifier.taken_from(environ).listens
    assert environ == {"PATH": "/bin"}


def test_a_socket_that_is_gone_hurts_nobody(tmp_path: Path) -> None:
    Notifier(str(tmp_path / "gone")).alive()


def test_a_status_is_one_line_whatever_it_holds(ear: socket.socket) -> None:
    Notifier(ear.getsockname()).status("disk full\nREADY=1")
    assert heard(ear) == ["STATUS=disk full READY=1"]


@pytest.mark.parametrize(
    ("due", "paused", "line"),
    [
        ({"a": Deadline()}, "", "1 job, 2 runs open, 1 question open"),
        ({"a": Deadline()}, "all paused by ada", "all paused by ada, 1 job, 2 runs open, 1 question open"),
        (
            {"a": Deadline(after(90)), "b": Deadline(after(60), ends_by=after(-1))},
            "",
            "2 jobs, next b at 2026-03-01 09:01Z, 2 runs open, 1 question open, overdue: b",
        ),
    ],
)
def test_the_daemon_in_one_line(due: dict[str, Deadline], paused: str, line: str) -> None:
    assert status_line(due, T0, runs=2, questions=1, paused=paused) == line
