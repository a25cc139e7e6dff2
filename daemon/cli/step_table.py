"""The steps of a run as a table: state, tries, time, result, and under each the decisions made about it."""

from __future__ import annotations

from datetime import datetime

from rich.console import RenderableType
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ..domain import times
from ..domain.picture import Picture, StepPicture
from . import printing

_MARKS = {"done": "✓", "failed": "✗", "skipped": "–", "waiting": "?", "retrying": "↻", "running": "•"}
_SPINNER = Spinner("dots", style="cyan")
"""One for all steps, so that they turn together."""


def step_table(picture: Picture, now: datetime, *, moving: bool = False) -> Table:
    """`moving` draws a spinner at what is in flight; only a live display turns it."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("", "step", "state"):
        table.add_column(heading, no_wrap=heading != "step")
    table.add_column("tries", justify="right")
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("result", overflow="fold", ratio=1)
    for shown in picture.steps:
        table.add_row(*_cells(shown, now, moving=moving))
    return table


def _cells(shown: StepPicture, now: datetime, *, moving: bool) -> tuple[RenderableType, ...]:
    style = printing.STYLES.get(shown.state, "yellow")
    mark: RenderableType = Text(_MARKS.get(shown.state, "·"), style)
    if moving and shown.at.attempt:
        mark = _SPINNER
    seconds = shown.seconds(now)
    return (
        mark,
        Text(shown.name),
        Text(shown.state, style),
        Text(str(shown.at.started or "")),
        Text("" if seconds is None else times.length(seconds), "dim"),
        _result(shown, now),
    )


def _result(shown: StepPicture, now: datetime) -> Text:
    """What it came to; then, dimmed, who decided what and why."""
    lines = [Text(_with_wait(shown, now), "red" if shown.state == "failed" else "")]
    lines += [Text(f"{missing} is missing", "yellow") for missing in shown.at.missing]
    lines += [Text(made, "dim") for made in shown.decisions]
    return Text("\n").join(line for line in lines if line.plain)


def _with_wait(shown: StepPicture, now: datetime) -> str:
    if shown.state != "retrying" or shown.at.wake_at is None:
        return shown.words
    left = max(0.0, (shown.at.wake_at - now).total_seconds())
    return f"{shown.words}; again in {left:.0f} s"
