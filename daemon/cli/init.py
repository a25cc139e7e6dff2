"""`clockwright init`: a configuration to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import templates


def register(app: typer.Typer) -> None:
    app.command()(init)


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where to; ./config without it.")] = Path("config"),
) -> None:
    """Write a commented configuration. Nothing that exists is overwritten."""
    for path, written in templates.write(folder).items():
        typer.echo(f"{'wrote ' if written else 'kept  '} {path}")
    typer.echo(f"\nNext: clockwright --config {folder} validate")
