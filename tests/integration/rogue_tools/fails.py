"""Fail in every way that is not a hang."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta

from atomic_tools import ToolContext, ToolInput, ToolOutput, TransientError, tool


class Input(ToolInput):
    """The way to fail."""

    how: str


class Output(ToolOutput):
    """An output that can be wrong in several ways."""

    number: float = 0.0
    text: str = ""

    def summary(self) -> str:
        """The text."""
        return self.text


def segfaults(_: ToolContext) -> Output:
    """Read from address zero."""
    ctypes.string_at(0)
    return Output()


def exits(_: ToolContext) -> Output:
    """End the process without a word."""
    os._exit(7)


def leaves(_: ToolContext) -> Output:
    """Leave through sys.exit."""
    sys.exit("enough")


def eats_memory(_: ToolContext) -> Output:
    """Take more than is allowed."""
    return Output(text=str(len(bytearray(1 << 30))))


def is_killed(_: ToolContext) -> Output:
    """Die as the kernel's out-of-memory killer has processes die."""
    os.kill(os.getpid(), signal.SIGKILL)
    return Output()


def raises(context: ToolContext) -> Output:
    """An error that no contract declares, with a secret in it."""
    print("token", context.secrets.get("TOKEN"))
    raise KeyError(context.secrets.get("TOKEN", "column"))


def asks_to_wait(_: ToolContext) -> Output:
    """A declared error."""
    raise TransientError("the receiver is busy", hint="try later", retry_after=timedelta(seconds=7))


def says_nan(_: ToolContext) -> Output:
    """A number that JSON does not have."""
    return Output(number=float("nan"))


def shouts(_: ToolContext) -> Output:
    """More than an output may hold."""
    return Output(text="x" * (1 << 21))


def lies(_: ToolContext) -> Output:
    """An output that its own model would refuse."""
    return Output.model_construct(number="many", text="x")


def returns_nothing(_: ToolContext) -> Output:
    """No output at all."""
    return None  # type: ignore[return-value]  # that is the fault


def comes_back_twice(_: ToolContext) -> Output:
    """A fork whose child returns as if it were the tool."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return Output(text="parent" if child else "child")


def leaves_a_child(context: ToolContext) -> Output:
    """Succeed, and leave a process behind."""
    child = subprocess.Popen(["sleep", "3600"], start_new_session=True)  # noqa: S607 - any sleep will do
    return Output(text=str(child.pid))


def writes_too_much(context: ToolContext) -> Output:
    """A file above the limit."""
    (context.workdir / "big").write_bytes(bytes(1 << 22))
    return Output()


def opens_too_much(_: ToolContext) -> Output:
    """More files than are allowed."""
    return Output(text=str(len([os.open(os.devnull, os.O_RDONLY) for _ in range(500)])))


WAYS: dict[str, Callable[[ToolContext], Output]] = {
    way.__name__: way
    for way in (
        segfaults,
        exits,
        leaves,
        eats_memory,
        is_killed,
        raises,
        asks_to_wait,
        says_nan,
        shouts,
        lies,
        returns_nothing,
        comes_back_twice,
        leaves_a_child,
        writes_too_much,
        opens_too_much,
    )
}


@tool()
def fails(request: Input, context: ToolContext) -> Output:
    """Fail in the given way."""
    return WAYS[request.how](context)
