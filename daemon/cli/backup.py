"""`clockwright backup` and `restore`: the store, what it cost, and the files that steps made."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .session import Session
from .trouble import Misuse, Unavailable

if TYPE_CHECKING:
    from ..app import Daemon
    from ..config import Settings

STORE, SPENT, ARTIFACTS, MANIFEST = "clockwright.db", "models.db", "artifacts", "backup.json"
FORMAT = 1


def register(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder with the backup is made in it.")],
    artifacts: Annotated[bool, typer.Option(help="The files that steps made, too.")] = True,
) -> None:
    """Copy the store, whether or not a daemon is at work. The backup is whole, or it is not there."""
    from ..adapters.sql.backup import copy, verify

    session: Session = context.obj
    settings = session.settings()
    source, now = _sqlite(settings), datetime.now(UTC)
    if not source.exists():
        raise Unavailable(f"there is no store yet at {source}")
    target = folder / f"clockwright-{now:%Y%m%dT%H%M%S}Z"
    fresh = folder / f".{target.name}.part"
    try:
        fresh.mkdir(parents=True, mode=0o700)
        copy(source, fresh / STORE)
        spent = settings.state / SPENT
        if spent.exists():
            copy(spent, fresh / SPENT)
        files = _copy_artifacts(settings.artifacts, fresh / ARTIFACTS) if artifacts else 0
        manifest = {
            "format": FORMAT,
            "taken_at": now.isoformat(),
            "revision": verify(fresh / STORE),
            "artifacts": files,
        }
        (fresh / MANIFEST).write_text(json.dumps(manifest))
        fresh.rename(target)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise Unavailable(f"no backup in {folder}: {error.strerror}") from error
    typer.echo(f"{target}: revision {manifest['revision']}, {files} files")


def restore(
    context: typer.Context,
    folder: Annotated[Path | None, typer.Argument(metavar="[BACKUP]", help="What 'backup' made.")] = None,
    mark: Annotated[
        datetime | None,
        typer.Option(
            metavar="TIME",
            help="The store was put back by other means, from a backup of this time (UTC): say so in it, no more.",
        ),
    ] = None,
) -> None:
    """Put a backup back. Refused while a daemon is at work; what is there is kept beside it."""
    session: Session = context.obj
    settings = session.settings()
    if (folder is None) == (mark is None):
        raise Misuse("give the backup's folder, or --mark with its time")
    with closing(session.observer()) as daemon:
        _expect_nobody(daemon, settings)
    taken_at = mark.replace(tzinfo=UTC) if mark else _put_back(settings, folder or Path())
    with closing(session.observer()) as daemon:
        _leave_marks(daemon, taken_at)
    typer.echo(
        f"restored as of {taken_at.isoformat()}; nothing is due until you say so.\n"
        "Look at what was delivered since (the channels, 'clockwright runs list'), cancel what must not go on, then:\n"
        "  clockwright jobs resume --all"
    )


def _sqlite(settings: Settings) -> Path:
    from sqlalchemy import make_url

    url = make_url(settings.store) if "://" in settings.store else None
    if url is not None and url.get_backend_name() == "postgresql":
        raise Misuse(
            "the store is on PostgreSQL",
            f"take it with: pg_dump --format=custom --dbname {url.render_as_string(hide_password=True)}; after "
            "pg_restore: clockwright restore --mark TIME-OF-THE-DUMP",
        )
    return Path(str(url.database)) if url is not None else Path(settings.store)


def _copy_artifacts(source: Path, target: Path) -> int:
    """How many were copied. One that is there already is the same: its name is its digest."""
    copied = 0
    for path in _files(source):
        place = target / path.relative_to(source)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileNotFoundError):  # forgotten meanwhile
                shutil.copy2(path, place)
                copied += 1
    return copied


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith("."))


def _expect_nobody(daemon: Daemon, settings: Settings) -> None:
    """Raises Unavailable where a daemon is at work; a store that cannot be opened says nothing."""
    from ..ports import StoreError

    if daemon.doorbell.ring():
        raise Unavailable("a daemon is at work here: stop it first")
    if settings.store.startswith("sqlite") and not _sqlite(settings).exists():
        return
    with suppress(StoreError):
        if daemon.store.lead(daemon.owner, 60.0) is None:
            raise Unavailable("a daemon or a command is at work here: stop it first")


def _put_back(settings: Settings, folder: Path) -> datetime:
    from ..adapters.sql.backup import verify

    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        taken_at = datetime.fromisoformat(manifest["taken_at"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misuse(f"{folder} is no backup", "it lacks a readable backup.json") from error
    verify(folder / STORE)
    target = _sqlite(settings)
    try:
        settings.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        _set_aside(target)
        _lay(folder / STORE, target)
        if (folder / SPENT).exists():
            _set_aside(settings.state / SPENT)
            _lay(folder / SPENT, settings.state / SPENT)
        _copy_artifacts(folder / ARTIFACTS, settings.artifacts)
    except OSError as error:
        raise Unavailable(f"cannot put the backup back: {error}") from error
    return taken_at


def _set_aside(path: Path) -> None:
    """Kept, in case the wrong backup was meant. The log goes with its file: it must never meet another one."""
    suffix = f"before-restore-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(path.with_name(f"{path.name}.{suffix}{ending}"))


def _lay(source: Path, target: Path) -> None:
    fresh = target.with_name(f".{target.name}.new")
    shutil.copyfile(source, fresh)
    fresh.chmod(0o600)
    with fresh.open("rb+") as stream:
        os.fsync(stream.fileno())
    fresh.rename(target)


def _leave_marks(daemon: Daemon, taken_at: datetime) -> None:
    """What the store does not know is what happened since; so nothing starts before a person has looked."""
    from ..domain.pause import EVERYTHING, Pause

    now = daemon.clock.now()
    daemon.mark_restored(taken_at)
    why = f"the store was put back as of {taken_at.isoformat()}; look at what was delivered since"
    daemon.store.pause(Pause(EVERYTHING, now, "restore", why))
