"""The life of a worker: wait, serve one call, die."""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections.abc import Mapping
from typing import NoReturn

from atomic_tools._contract import Tool
from daemon.adapters.sandbox import confine, frames, linux, toolbox
from daemon.adapters.sandbox.invoke import crash, invoke
from daemon.adapters.sandbox.protocol import GRACE, Failed, Outcome, ToolCall, outcome_to_json
from daemon.adapters.sandbox.rehearsal import rehearse

Known = Mapping[str, tuple[Tool, str]]
"""The tools that the zygote has loaded, each with the digest of its code."""

_SLACK = 0.1
"""The kernel's timer comes a little after the supervisor's SIGKILL, which it only stands in for."""


class ChangedError(Exception):
    """The code at hand is not the code that the caller knows."""


def live(channel: socket.socket, tail: int, zygote: int, known: Known) -> NoReturn:
    """Serve exactly one call from `channel` and leave the process; never returns to the zygote's code."""
    status = 1
    try:
        confine.settle(zygote, tail)
        rehearse(timer := linux.DeathTimer())
        message = frames.receive(channel)
        if message is not None:
            call = ToolCall.from_json(message)
            timer.set(_left(call) + GRACE + _SLACK)
            _serve(channel, call, known)
        status = 0
    except BaseException:  # noqa: BLE001 - nothing may climb into the zygote's code; the tail carries the trace
        traceback.print_exc()
    finally:
        os._exit(status)


def _left(call: ToolCall) -> float:
    """Seconds that the call may take: less where it reached this process late."""
    return call.timeout if call.expires is None else max(0.0, min(call.timeout, call.expires - linux.now()))


def _serve(channel: socket.socket, call: ToolCall, known: Known) -> None:
    myself = os.getpid()
    channel.sendall(frames.pack({"taken": myself}))
    outcome = _outcome(call, known)
    if os.getpid() != myself:  # a fork of the tool's that came back out of it must not answer
        os._exit(1)
    _flush()
    linux.kill_children()
    channel.sendall(frames.pack({"outcome": outcome_to_json(outcome)}))


def _outcome(call: ToolCall, known: Known) -> Outcome:
    try:
        confine.enter(call)
        return invoke(_find(call, known), call)
    except ChangedError as error:
        return Failed("misconfigured", str(error), hint="reload, so that the new code is checked before it runs")
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises, SystemExit too, is its call's end
        confine.lift_memory_limit()
        return crash(error, call)


def _find(call: ToolCall, known: Known) -> Tool:
    tool, digest = known.get(call.tool, (None, call.digest))
    if call.digest not in (None, digest):
        raise ChangedError(f"the code of {call.tool} changed after it was described")
    return tool or toolbox.load(call.tool)


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
