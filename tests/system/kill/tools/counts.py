"""Leaves one file for each time that it has worked to its end."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool


class Input(ToolInput):
    """Where to leave the file, whose it is, and how long the work takes."""

    folder: str
    name: str
    seconds: float = 0.0


class Output(ToolOutput):
    """The name, once more."""

    name: str

    def summary(self) -> str:
        """The name."""
        return f"counted {self.name}"


@tool()
def counts(request: Input, context: ToolContext) -> Output:
    """Work for a while, then leave a file."""
    time.sleep(request.seconds)
    (Path(request.folder) / f"{request.name}.{uuid.uuid4().hex}").touch()
    return Output(name=request.name)
