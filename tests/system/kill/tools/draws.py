"""Leaves a picture, as small as one can be, and a file."""

from __future__ import annotations

import base64

from atomic_tools import Artifact, ToolContext, ToolInput, ToolOutput, tool

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Input(ToolInput):
    """Nothing."""


class Output(ToolOutput):
    """The picture, and a file beside it."""

    chart: Artifact
    report: Artifact

    def summary(self) -> str:
        """Its name."""
        return self.chart.name


@tool()
def draws(request: Input, context: ToolContext) -> Output:
    """Draw one pixel."""
    report = context.save("report.md", b"# All of it", "text/markdown")
    return Output(chart=context.save("sales.png", PNG, "image/png"), report=report)
