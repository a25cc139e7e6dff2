"""`clockwright dashboards`: the shipped Grafana dashboards and Prometheus rules."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from .shipped import shipped
from .trouble import Unavailable

FOLDERS = ("grafana", "prometheus")


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The shipped Grafana dashboards and Prometheus rules.", no_args_is_help=True)
    group.command()(export)
    group.callback()(_group)
    app.add_typer(group, name="dashboards")


def _group() -> None:
    """Keeps `export` a command of its own."""


def export(
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to.")] = Path("monitoring"),
) -> None:
    """Write dashboards, provisioning files, rules and examples. What is there is replaced."""
    for name in FOLDERS:
        source = shipped(f"config/{name}", ".")
        try:
            shutil.copytree(source, to / name, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            raise Unavailable(f"cannot write {to / name}: {error}") from error
        for path in sorted((to / name).rglob("*.*")):
            typer.echo(f"wrote  {path}")
