"""One run in full, for a person or a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from ..domain import times, wording
from ..domain.delivery import deliveries
from ..domain.document import document, history
from ..domain.events import AttemptEnded
from ..domain.model import Failed, Run
from ..domain.picture import Picture
from . import printing, results
from .step_table import step_table

if TYPE_CHECKING:
    from ..app import Daemon

TAIL_LINES = 12


def picture_of(daemon: Daemon, run: Run) -> Picture:
    return Picture(daemon.plans.get(run.plan), run, daemon.queries.events(run.id))


def say_document(daemon: Daemon, run: Run) -> None:
    picture = picture_of(daemon, run)
    effects = [asdict(effect) for effect in daemon.queries.effects(run.id)]
    whole = document(picture, [asdict(thing) for thing in results.made(picture, daemon.artifacts)])
    printing.say_json(whole | {"effects": effects, "history": history(picture.events)})


def say_page(daemon: Daemon, run: Run) -> None:
    picture = picture_of(daemon, run)
    out = printing.console()
    for line in _head(picture):
        typer.echo(line)
    out.print(results.ending(picture), style=results.style(run))
    typer.echo()
    out.print(step_table(picture, datetime.now(UTC)))
    for heading, lines in (
        ("asks", list(results.how_to_answer(run))),
        ("failures", list(_failures(picture))),
        ("deliveries", list(_deliveries(daemon, picture))),
        ("made", results.lines_of(results.made(picture, daemon.artifacts))),
    ):
        _say_part(heading, lines)


def say_remote(document: dict[str, Any], *, as_json: bool) -> None:
    """The same document, as another machine's daemon gives it."""
    if as_json:
        printing.say_json(document)
        return
    typer.echo(f"run      {document['run']}\nabout    {document['date']} in {document['timezone']}")
    typer.echo(document["state"] + (f": {document['reason']}" if document["reason"] else "") + "\n")
    rows = [_remote_row(step) for step in document["steps"]]
    printing.say_table(("step", "state", "tries", "took", "result"), rows, "no steps")
    _say_part("asks", [asked["question"] for asked in document["escalations"]])
    _say_part("deliveries", [_delivered(each, "") for each in document["deliveries"]])


def _remote_row(step: dict[str, Any]) -> tuple[str, ...]:
    took = "" if step["seconds"] is None else times.length(step["seconds"])
    return step["id"], step["state"], str(step["tries"] or ""), took, step["summary"] or step["cause"]


def _say_part(heading: str, lines: list[str]) -> None:
    if lines:
        typer.echo(f"\n{heading}")
    for line in lines:
        typer.echo(f"  {line}")


def _head(picture: Picture) -> Iterator[str]:
    run, zone = picture.run, picture.run.data.timezone
    yield f"run      {run.id}" + (" (dry run)" if run.dry_run else "")
    yield f"job      {run.job}: {picture.plan.goal}"
    yield f"about    {run.data.day:%a %Y-%m-%d} in {zone}"
    yield f"due      {times.local(run.instant, zone)}, {times.utc(run.instant)}; asked for by {run.cause}"
    if run.started_at:
        yield f"began    {times.local(run.started_at, zone)}"


def _failures(picture: Picture) -> Iterator[str]:
    """Every failed attempt, with the last of what its tool printed."""
    for event in picture.events:
        if isinstance(event, AttemptEnded) and isinstance(event.outcome, Failed):
            yield f"{times.clock(event.at)}  {event.step}, attempt {event.number}: {wording.failure(event.outcome)}"
            yield from (f"    | {line}" for line in event.tail.strip().splitlines()[-TAIL_LINES:])


def _deliveries(daemon: Daemon, picture: Picture) -> Iterator[str]:
    keys = {effect.step: effect.key for effect in daemon.queries.effects(picture.run.id)}
    for each in deliveries(picture.plan, picture.run):
        yield _delivered(each.document, keys.get(each.step, ""))


def _delivered(delivery: dict[str, Any], key: str) -> str:
    """`degraded   post: https://… (no chart) (key …)`; what is waited for says until when."""
    until = f"again at {times.clock(datetime.fromisoformat(delivery['until']))}" if delivery["until"] else ""
    why = "; ".join(filter(None, [delivery["reason"], until]))
    said = " ".join(filter(None, [delivery["where"], f"({why})" if why and delivery["where"] else why]))
    return f"{delivery['state']:9}  {delivery['step']}: {said}".rstrip(": ") + (f" (key {key})" if key else "")
