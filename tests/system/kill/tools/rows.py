"""A source that may not be complete yet."""

from __future__ import annotations

from pathlib import Path

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool


class Input(ToolInput):
    """Where its rows lie, a file each."""

    folder: str


class Output(ToolOutput):
    """How many there are."""

    count: int

    def summary(self) -> str:
        """The number."""
        return f"{self.count} rows"


@tool(effect="none")
def rows(request: Input, context: ToolContext) -> Output:
    """Count them."""
    return Output(count=len(list(Path(request.folder).iterdir())))
