"""Whether a tool as it is now can stand for the one that a plan was compiled with."""

from __future__ import annotations

from collections.abc import Iterator

from .tool import ToolSpec


def incompatible(then: ToolSpec, now: ToolSpec | None) -> str:
    """Why not, in one line; empty when it can. New code under the same contract is welcome."""
    if now is None:
        return f"the tool {then.name!r}, which this run was planned with, is no longer there"
    if changed := list(_changed(then, now)):
        return f"the tool {then.name!r} is not the one that this run was planned with: {', '.join(changed)}"
    return ""


def _changed(then: ToolSpec, now: ToolSpec) -> Iterator[str]:
    if then.version != now.version:
        yield f"its version was {then.version!r} and is {now.version!r}"
    if then.effect is not now.effect:
        yield f"its effect was {then.effect} and is {now.effect}"
    if then.reconcile and not now.reconcile:
        yield "its receiver can no longer be asked"
    if then.destination != now.destination:
        yield "its destination has changed"
    if then.input_schema != now.input_schema:
        yield "its input has changed"
    if then.output_schema != now.output_schema:
        yield "its output has changed"
