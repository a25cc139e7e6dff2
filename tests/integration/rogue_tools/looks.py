"""Report what a tool can see of its own process."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path

from atomic_tools import Artifact, ToolContext, ToolInput, ToolOutput, tool

_calls: list[int] = []


class Input(ToolInput):
    """How many lines of noise to print."""

    noise: int = 0


class Output(ToolOutput):
    """The process from inside."""

    pid: int
    zygote: int
    calls_so_far: int
    environment: dict[str, str]
    environ_file: str
    secrets: dict[str, str]
    folder: str
    temporary: str
    chance: float
    stdin: str
    picture: Artifact

    def summary(self) -> str:
        """The process id, on\ntwo lines."""
        return f"process\n{self.pid}"


@tool(secrets=("TOKEN",))
def looks(request: Input, context: ToolContext) -> Output:
    """Report what a tool can see of its own process."""
    _calls.append(1)
    for number in range(request.noise):
        print(f"noise {number}")
    print("last words", file=sys.stderr)
    return Output(
        pid=os.getpid(),
        zygote=os.getppid(),
        calls_so_far=len(_calls),
        environment=dict(os.environ),
        environ_file=Path("/proc/self/environ").read_text(),
        secrets=dict(context.secrets),
        folder=str(Path.cwd()),
        temporary=tempfile.gettempdir(),
        chance=random.random(),
        stdin=sys.stdin.read(),
        picture=context.save("picture.png", b"not really", "image/png"),
    )
