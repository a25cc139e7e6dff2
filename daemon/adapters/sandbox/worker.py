"""The life of a worker: wait, serve one call, die."""

from __future__ import annotations

import os
import socket
import sys
import traceback
from typing import NoReturn

from atomic_tools._contract import Tool

from daemon.adapters.sandbox import confine, frames, linux, toolbox
from daemon.adapters.sandbox.invoke import crash, invoke
from daemon.adapters.sandbox.protocol import GRACE, Failed, Outcome, ToolCall, outcome_to_json

_SLACK = 0.1
"""The kernel's timer comes a little after the supervisor's SIGKILL, which it only stands in for."""


def live(channel: socket.socket, tail: int, zygote: int, digests: dict[str, str]) -> NoReturn:
    """Serve exactly one call from `channel` and leave the process; never returns to the zygote's code."""
    status = 1
    try:
        confine.settle(zygote, tail)
        message = frames.receive(channel)
        if message is not None:
            _serve(channel, ToolCall.from_json(message), digests)
        status = 0
    except BaseException:  # noqa: BLE001 - nothing may climb into the zygote's code; the tail carries the trace
        traceback.print_exc()
    finally:
        os._exit(status)


def _serve(channel: socket.socket, call: ToolCall, digests: dict[str, str]) -> None:
    myself = os.getpid()
    linux.die_in(call.timeout + GRACE + _SLACK)
    channel.sendall(frames.pack({"taken": myself}))
    outcome = _outcome(call, digests)
    if os.getpid() != myself:  # a fork of the tool's that came back out of it must not answer
        os._exit(1)
    _flush()
    linux.kill_children()
    channel.sendall(frames.pack({"outcome": outcome_to_json(outcome)}))


def _outcome(call: ToolCall, digests: dict[str, str]) -> Outcome:
    try:
        confine.enter(call)
        known = _known(call, digests)
        return invoke(known, call) if isinstance(known, Tool) else known
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises, SystemExit too, is its call's end
        confine.lift_memory_limit()
        return crash(error, call)


def _known(call: ToolCall, digests: dict[str, str]) -> Tool | Failed:
    if call.digest is not None and digests.get(call.tool, call.digest) != call.digest:
        return Failed(
            "misconfigured",
            f"the code of {call.tool} changed after it was described",
            hint="reload, so that the new code is checked before it runs",
        )
    return toolbox.load(call.tool)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (
            OSError,
            ValueError,
            AttributeError,
        ):  # closed or replaced by the tool; the tail is a courtesy
            continue
