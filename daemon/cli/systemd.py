"""`clockwright systemd`: the service on a machine with systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .session import Session
from .shipped import shipped
from .trouble import Unavailable

EXECUTABLE = "/opt/clockwright/bin/clockwright"
CONFIG = "/etc/clockwright"
UNITS = Path("/etc/systemd/system")
ACCOUNTS = Path("/etc/sysusers.d")


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The service on a machine with systemd.", no_args_is_help=True)
    group.command()(install)
    app.add_typer(group, name="systemd")


@dataclass(frozen=True, slots=True)
class Unit:
    target: Path
    text: str


def install(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written and run.")] = False,
) -> None:
    """Write the service's units for this installation and configuration. Starts nothing."""
    session: Session = context.obj
    units = list(units_for(_executable(), session.folder.absolute()))
    for warning in warnings_for(_executable()):
        typer.echo(f"clockwright: {warning}", err=True)
    for unit in units:
        typer.echo(f"# {unit.target}\n{unit.text}" if dry_run else f"wrote  {unit.target}")
        if not dry_run:
            _write(unit)
    for command in (("systemd-sysusers",), ("systemctl", "daemon-reload")):
        typer.echo(f"{'would run' if dry_run else 'ran   '} {' '.join(command)}")
        if not dry_run:
            _run(command)
    typer.echo("\nNext: clockwright doctor, then: systemctl enable --now clockwright")


def units_for(executable: Path, config: Path) -> Iterator[Unit]:
    """The shipped units with the paths of this installation."""
    folder = shipped("systemd", "clockwright.service")
    for source in sorted(folder.glob("*.service")):
        text = (
            source.read_text().replace(EXECUTABLE, str(executable)).replace(f"--config {CONFIG}", f"--config {config}")
        )
        yield Unit(UNITS / source.name, text.replace(f"{CONFIG}/", f"{config}/"))
    yield Unit(ACCOUNTS / "clockwright.conf", (folder / "clockwright.sysusers.conf").read_text())


def warnings_for(executable: Path) -> Iterator[str]:
    """What would keep the service's own account from starting it."""
    for place in (*executable.parents, *Path(sys.executable).resolve().parents):
        if place.exists() and not place.stat().st_mode & 0o001:
            yield f"{place} is closed to other accounts: the service cannot start from there; install below /opt"
            return
    if executable.is_relative_to("/home") or executable.is_relative_to("/root"):
        yield f"the unit hides home folders, and {executable} lies in one: install below /opt"


def _executable() -> Path:
    beside = Path(sys.executable).with_name("clockwright")
    found = beside if beside.exists() else shutil.which("clockwright")
    if found is None:
        raise Unavailable("there is no command 'clockwright' beside this Python")
    return Path(found)


def _write(unit: Unit) -> None:
    try:
        unit.target.parent.mkdir(parents=True, exist_ok=True)
        unit.target.write_text(unit.text)
        unit.target.chmod(0o644)
    except OSError as error:
        hint = "; run it as root, or look at --dry-run" if os.geteuid() else ""
        raise Unavailable(f"cannot write {unit.target}: {error.strerror}{hint}") from error


def _run(command: tuple[str, ...]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Unavailable(f"there is no {command[0]} on this machine") from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"{' '.join(command)}: {error.stderr.strip() or error.returncode}") from error
