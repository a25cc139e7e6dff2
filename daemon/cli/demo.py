"""`clockwright demo`: the daily sales report on a made-up shop, through the real executor and sandbox."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import printing, templates, times
from .session import Session
from .trouble import Refused, Unavailable

if TYPE_CHECKING:
    from ..adapters.sandbox.runner import Sandbox
    from ..config import Settings
    from ..domain.job import Job

JOB = "daily_sales_report"
TOOLS = ("calculate_kpis", "db_query_sales", "format_markdown_report", "generate_chart", "slack_send_message")
SEED = 1
TOOL_CACHE = "tools.json"


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything of the demo lies.")] = Path(".demo"),
    as_json: Annotated[bool, typer.Option("--json", help="No progress; one JSON document at the end.")] = False,
) -> int:
    """Run the daily sales report for yesterday, here and now; again, it shows what was delivered."""
    began = datetime.now(UTC)
    sandbox = _sandbox(folder / "state")
    templates.write(folder)
    _borrow(folder / "state" / TOOL_CACHE)

    from ..app import wire
    from ..runtime.requests import yesterday
    from .carrying import Bulletin
    from .errand import Errand

    config = Session(folder).config()
    bulletin = Bulletin()
    with closing(wire(config, [bulletin], sandbox)) as daemon:
        job = config.by_id.get(JOB)
        if job is None or job.broken:
            raise Refused("\n".join(map(str, config.faults)) or f"{folder} has no job {JOB!r} any more")
        _build_shop(config.settings, job)
        code = Errand(daemon, bulletin, as_json=as_json).run(job, yesterday(job, datetime.now(UTC)))
    _lend(folder / "state" / TOOL_CACHE)
    if not as_json:
        _say_next(folder, (datetime.now(UTC) - began).total_seconds())
    return code


def _sandbox(state: Path) -> Sandbox | None:
    """Loading the tools' libraries takes longest, so it begins first; where all is done already it is not needed."""
    if (state / "clockwright.db").exists():
        return None
    from ..adapters.sandbox.recipe import Recipe
    from ..adapters.sandbox.runner import Sandbox

    shared = _shared()
    return Sandbox(Recipe(tools=TOOLS, preload=(), cache=shared or state / "cache"))


def _shared() -> Path | None:
    """A cache beside the installation, so that a new demo folder is not slower; only in an environment of one's own."""
    folder = Path(sys.prefix) / "share" / "clockwright" / "cache"
    if sys.prefix == sys.base_prefix:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return None


def _borrow(cache: Path) -> None:
    """What an earlier demo learnt about the tools; it is believed only for files that have not changed."""
    shared = _shared()
    if shared and not cache.exists():
        with suppress(OSError):
            cache.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copyfile(shared / TOOL_CACHE, cache)


def _lend(cache: Path) -> None:
    shared = _shared()
    if shared and cache.exists():
        with suppress(OSError):
            fresh = shared / f"{TOOL_CACHE}.{os.getpid()}"
            shutil.copyfile(cache, fresh)
            fresh.rename(shared / TOOL_CACHE)


def _build_shop(settings: Settings, job: Job) -> None:
    """Eighteen months up to yesterday; a shop that is there already only gets the days that it lacks."""
    from ..runtime.requests import yesterday
    from ..testing.shop import build_shop

    path = settings.state / "demo" / "shop.db"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        build_shop(path, until=yesterday(job, datetime.now(UTC)), timezone=job.timezone, seed=SEED)
    except (OSError, ValueError) as error:
        raise Unavailable(f"cannot make the demo's shop {path}: {error}") from error


def _say_next(folder: Path, seconds: float) -> None:
    printing.console().print(f"\nAll of it took {times.length(seconds)}. Look around:", style="dim")
    for line in (f"clockwright --config {folder} runs list", f"clockwright --config {folder} jobs list"):
        typer.echo(f"  {line}")
