"""Hang in every way that a synchronous tool can."""

from __future__ import annotations

import itertools
import os
import re
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool


class Input(ToolInput):
    """The way to hang."""

    how: str


class Output(ToolOutput):
    """What a late answer looks like."""

    late: bool = True

    def summary(self) -> str:
        """Must never be seen."""
        return "a late answer"


def sleeps(_: Path) -> None:
    """One C call for an hour."""
    time.sleep(3600)


def spins(_: Path) -> None:
    """Python without end."""
    for _number in itertools.count():
        pass


def waits_on_socket(_: Path) -> None:
    """Bytes that nobody sends."""
    ours, _theirs = socket.socketpair()
    ours.recv(1)


def holds_the_gil(_: Path) -> None:
    """One C call that never lets go of the interpreter lock."""
    sum(range(1 << 62))


def backtracks(_: Path) -> None:
    """A regular expression that would need longer than the universe has."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def ignores_sigterm(_: Path) -> None:
    """Deaf to the polite signal."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(3600)


def swallows_everything(_: Path) -> None:
    """Every exception caught, the one raised by SIGTERM too."""
    signal.signal(signal.SIGTERM, _interrupt)
    while True:
        try:
            time.sleep(0.01)
        except BaseException:  # noqa: BLE001, S112 - this is the fault that the tool exists for
            continue


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def prints(_: Path) -> None:
    """Output without end."""
    while True:
        print("noise " * 1000)


def stops_itself(_: Path) -> None:
    """Stopped by a signal, and so unable to see any but one."""
    os.kill(os.getpid(), signal.SIGSTOP)


def answers_late(_: Path) -> None:
    """Survive SIGTERM and answer within the grace."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(0.45)


def detaches(workdir: Path) -> None:
    """A grandchild, twice forked, in its own session, deaf to SIGTERM, and a child of it in another."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            _settle_down(workdir)
        os._exit(0)
    time.sleep(3600)


def _settle_down(workdir: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
    (workdir / f"descendant-{os.getpid()}").touch()
    time.sleep(3600)


WAYS: dict[str, Callable[[Path], None]] = {
    way.__name__: way
    for way in (
        sleeps,
        spins,
        waits_on_socket,
        holds_the_gil,
        backtracks,
        ignores_sigterm,
        swallows_everything,
        prints,
        stops_itself,
        answers_late,
        detaches,
    )
}


@tool()
def hangs(request: Input, context: ToolContext) -> Output:
    """Hang in the given way."""
    (context.workdir / "pid").write_text(str(os.getpid()))
    WAYS[request.how](context.workdir)
    return Output()
