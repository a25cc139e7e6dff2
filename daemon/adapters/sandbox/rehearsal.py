"""A dry run of a whole call while the worker still waits.

A fork shares its pages with the zygote until it first writes to them, and Python writes reference counts
wherever it goes. Going the way once before takes those page faults, several milliseconds, out of the call.
"""

from __future__ import annotations

from datetime import UTC, datetime

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool
from daemon.adapters.sandbox import confine, frames, linux
from daemon.adapters.sandbox.invoke import invoke
from daemon.adapters.sandbox.protocol import ToolCall, outcome_to_json


class Input(ToolInput):
    """A word."""

    word: str


class Output(ToolOutput):
    """The word again."""

    word: str
    numbers: tuple[int, ...] = (1, 2)

    def summary(self) -> str:
        """The word."""
        return self.word


@tool()
def rehearsal(request: Input, context: ToolContext) -> Output:
    """Say the word again."""
    return Output(word=f"{request.word} {context.deadline:%H}")


def rehearse(timer: linux.DeathTimer) -> None:
    """Go the way of a call, from its message to the answer, in the root folder, where it writes nothing."""
    timer.set(60.0)
    call = ToolCall("rehearsal", "rehearsal", "run", {"word": "check"}, "/", datetime.now(UTC), 1.0)
    for message in frames.FrameReader(limit=1 << 20).feed(frames.pack(call.to_json())):
        heard = ToolCall.from_json(message)
        confine.enter(heard)
        frames.pack({"outcome": outcome_to_json(invoke(rehearsal, heard))})
    timer.set(0)
    linux.rename("clockwright-wkr")
