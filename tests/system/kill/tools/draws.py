"""Leaves a picture, as small as one can be."""

from __future__ import annotations

import base64

from atomic_tools import Artifact, ToolContext, ToolInput, ToolOutput, tool

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Input(ToolInput):
    """Nothing."""


class Output(ToolOutput):
    """The picture."""

    chart: Artifact

    def summary(self) -> str:
        """Its name."""
        return self.chart.name


@tool()
def draws(request: Input, context: ToolContext) -> Output:
    """Draw one pixel."""
    return Output(chart=context.save("sales.png", PNG, "image/png"))
