"""Delivers into a folder that counts every arrival, and never refuses one: doing it once is the daemon's business."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta
from pathlib import Path

from atomic_tools import Found, NotFound, Reconciled, ToolContext, ToolInput, ToolOutput, TransientError, tool


class Input(ToolInput):
    """Where to, and how long it takes before and after the arrival."""

    folder: str
    before: float = 0.0
    after: float = 0.0
    content: str = ""


class Output(ToolOutput):
    """The key that arrived."""

    key: str

    def summary(self) -> str:
        """The key."""
        return f"delivered {self.key}"


def ask(request: Input, context: ToolContext) -> Reconciled:
    """Whether anything arrived under the key."""
    arrived = any(Path(request.folder).glob(f"{context.effect_key}.*"))
    return Found(Output(key=str(context.effect_key))) if arrived else NotFound()


@tool(effect="external", reconcile=ask, destination=("folder",), timeout=timedelta(seconds=20))
def delivers(request: Input, context: ToolContext) -> Output:
    """One arrival for each time that it is called in time."""
    time.sleep(request.before)
    if context.late() >= 0:
        raise TransientError("too late to send")
    (Path(request.folder) / f"{context.effect_key}.{uuid.uuid4().hex}").write_text(request.content)
    time.sleep(request.after)
    return Output(key=str(context.effect_key))
