"""Tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

STYLES: Mapping[str, str] = {
    "succeeded": "green",
    "done": "green",
    "delivered": "green",
    "degraded": "yellow",
    "waiting": "yellow",
    "running": "cyan",
    "queued": "cyan",
    "failed": "red",
    "broken": "red",
    "cancelled": "magenta",
    "skipped": "dim",
    "pending": "dim",
    "ready": "dim",
}
"""One colour for each state, wherever it is shown."""


def console(*, stderr: bool = False) -> Console:
    """Plain where it is not a terminal; a line is never broken there."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else 10_000
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=wide, soft_wrap=wide is not None)


def say_json(value: Any) -> None:
    """One document, in UTF-8, for a program."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def say_table(columns: Sequence[str], rows: Iterable[Sequence[str]], nothing: str) -> None:
    """Columns that fit the terminal; `nothing` where there are no rows. A state is coloured."""
    from rich.table import Table
    from rich.text import Text

    lines = list(rows)
    if not lines:
        typer.echo(nothing)
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell, STYLES.get(cell.split(" ")[0], "")) for cell in line))
    console().print(table)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)
