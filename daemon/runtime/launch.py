"""Begins a call once its attempt is stored, unless its time has passed since."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..domain.artifacts import artifacts_in
from ..domain.errors import Kind
from ..domain.model import Failed
from ..ports import Call, EffectRow, Ended, Running
from .outside import Outside


class NotBegun:
    """A call that was never made."""

    def kill(self) -> None:
        """There is nothing to kill."""


def launch(
    outside: Outside, call: Call, intent: EffectRow | None, since: float, on_end: Callable[[Ended], None]
) -> Running:
    """`since` is when its attempt was made, by the boot clock. An effect's `intent` is first written into the journal.

    Whoever was frozen between the commit and this may find the wall clock set back, and the call's deadline ahead; and
    what it would write down is older than what others have meant since.
    """
    left = call.seconds - (outside.clock.boot() - since)
    if left <= 0:
        on_end(Ended(Failed(Kind.TRANSIENT, f"not begun: its time had passed {-left:.1f} s before")))
        return NotBegun()
    if intent is not None and outside.journal is not None:
        outside.journal.note(intent)
    for artifact in artifacts_in(call.input):
        outside.artifacts.give(call.workdir, artifact)
    return outside.runner.start(dataclasses.replace(call, seconds=left, expires=since + call.seconds), on_end)
