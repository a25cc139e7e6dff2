"""`clockwright demo`: the daily sales report on a made-up shop, through the real executor and sandbox."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain import times
from . import printing, templates
from .session import Session
from .trouble import Refused, Unavailable

if TYPE_CHECKING:
    from ..adapters.sandbox.runner import Sandbox
    from ..config import Settings
    from ..domain.job import Job

JOB = "daily_sales_report"
TOOLS = ("calculate_kpis", "db_query_sales", "format_markdown_report", "generate_chart", "slack_send_message")
SEED = 1


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything of the demo lies.")] = Path(".demo"),
    as_json: Annotated[bool, typer.Option("--json", help="No progress; one JSON document at the end.")] = False,
) -> int:
    """Run the sales report on a made-up shop. Run again, it shows what was delivered."""
    began = datetime.now(UTC)
    from . import lending

    sandbox = _sandbox(folder / "state")
    templates.write(folder)
    lending.borrow(folder / "state")

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
        build_shop(config.settings, job)
        code = Errand(daemon, bulletin, as_json=as_json).run(job, yesterday(job, datetime.now(UTC)))
    lending.lend(folder / "state")
    if not as_json:
        _say_next(folder, (datetime.now(UTC) - began).total_seconds())
    return code


def _sandbox(state: Path) -> Sandbox | None:
    """Loading the tools' libraries takes longest, so it begins first; where all is done already it is not needed."""
    if (state / "clockwright.db").exists():
        return None
    from ..adapters.sandbox.recipe import Recipe
    from ..adapters.sandbox.runner import Sandbox
    from .lending import shared as shared_cache

    shared = shared_cache()
    return Sandbox(Recipe(tools=TOOLS, preload=(), cache=shared or state / "cache"))


def build_shop(settings: Settings, job: Job) -> None:
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
