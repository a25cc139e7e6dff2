"""`serve` under a service manager: what it says on the notification socket; only the loop feeds the watchdog."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.cli_folder import Folder, stop

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
TURNS = 6.0
"""Seconds within which the loop makes a turn, with room for a busy machine."""


class Manager:
    """Our end of the socket."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)

    def hear(self, word: str, within: float = 60.0) -> str:
        """The first message from now on that holds the word."""
        until = time.monotonic() + within
        while True:
            self._socket.settimeout(max(0.01, until - time.monotonic()))
            message = self._socket.recv(4096).decode()
            if word in message:
                return message

    def is_silent(self, seconds: float) -> bool:
        try:
            self.hear("", seconds)
        except TimeoutError:
            return True
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path / "notify")
    yield made
    made.close()


@pytest.fixture
def served(manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.address)
    monkeypatch.setenv("WATCHDOG_USEC", "60000000")
    process = Folder.make(tmp_path / "config").start("serve")
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_a_service_manager_hears_the_whole_life_of_a_daemon(
    manager: Manager, served: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert "2 jobs, next report at" in manager.hear("STATUS=")
    assert manager.hear("READY=1") == "READY=1"
    manager.hear("WATCHDOG=1", 2 * TURNS)
    served.send_signal(signal.SIGHUP)
    assert "MONOTONIC_USEC=" in manager.hear("RELOADING=1")
    manager.hear("READY=1")
    (tmp_path / "config" / "clockwright.yaml").write_text("state: [")
    served.send_signal(signal.SIGHUP)
    manager.hear("RELOADING=1")
    manager.hear("READY=1")
    served.send_signal(signal.SIGSTOP)
    while not manager.is_silent(1.0):
        continue  # what was on its way
    assert manager.is_silent(TURNS), "a process that stands still fed the watchdog"
    served.send_signal(signal.SIGCONT)
    manager.hear("WATCHDOG=1", 2 * TURNS)
    code, _, err = stop(served)
    assert (code, "reload_refused" in err) == (0, True)
    assert "EXTEND_TIMEOUT_USEC=" in manager.hear("STOPPING=1")
