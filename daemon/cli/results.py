"""What a run made and where it lies; how it ended, in words and as an exit code."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain import times
from ..domain.model import Run, RunState, StepState
from ..domain.picture import Picture
from . import printing
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..ports import Artifacts

CODES = {
    RunState.SUCCEEDED: ExitCode.OK,
    RunState.DEGRADED: ExitCode.DEGRADED,
    RunState.FAILED: ExitCode.FAILED,
    RunState.CANCELLED: ExitCode.CANCELLED,
}


def exit_code(run: Run) -> ExitCode:
    """One that has not ended waits for a person."""
    return CODES.get(run.state, ExitCode.WAITING)


@dataclass(frozen=True, slots=True)
class Made:
    """One thing that a run left: a file with its name, or a delivered message with its place."""

    step: str
    name: str
    media_type: str
    size: int
    path: str


def made(picture: Picture, artifacts: Artifacts) -> list[Made]:
    """Messages first, then files; a file that was sent along is shown where the receiver has it."""
    delivered = list(_messages(picture))
    beside = {entry.name: entry for message in delivered for entry in _folder(Path(message.path))}
    files = {(thing.name, thing.path): thing for thing in _files(picture, artifacts, beside)}
    return [*delivered, *files.values()]


def _messages(picture: Picture) -> Iterator[Made]:
    for shown in picture.steps:
        output = shown.at.output
        if shown.at.state is StepState.DONE and picture.plan.is_external(shown.step) and isinstance(output, dict):
            if location := output.get("location"):
                yield Made(shown.step.id, "message", "text/html", 0, str(location))
            yield from _payload(shown.step.id, Path(str(output.get("location", ""))))


def _payload(step: str, page: Path) -> Iterator[Made]:
    """The local outbox keeps the exact payload beside the page that renders it."""
    payload = page.with_name("message.json") if page.is_absolute() else page
    if page.is_absolute() and payload.is_file():
        yield Made(step, "payload", "application/json", payload.stat().st_size, str(payload))


def _folder(page: Path) -> list[Path]:
    files = page.with_name("files") if page.is_absolute() else page
    return sorted(files.iterdir()) if page.is_absolute() and files.is_dir() else []


def _files(picture: Picture, artifacts: Artifacts, beside: dict[str, Path]) -> Iterator[Made]:
    for shown in picture.steps:
        for kept in shown.at.artifacts:
            sent = beside.get(kept["name"])
            path = artifacts.path(kept["sha256"])
            if sent is not None and sent.stat().st_size == kept["size"]:
                path = sent
            yield Made(shown.step.id, kept["name"], kept["media_type"], kept["size"], os.path.normpath(path))


def how_to_answer(run: Run) -> Iterator[str]:
    """The open questions, each with the command that answers it."""
    for asked in run.escalations.values():
        yield f"{asked.question}"
        yield f"  answer:  clockwright escalations answer {asked.id} {'|'.join(asked.options)}"
        yield f"  without: {asked.default} at {asked.expires_at.astimezone():%Y-%m-%d %H:%M %Z}"


def lines_of(things: list[Made]) -> list[str]:
    """Name and path of each."""
    wide = max((len(thing.name) for thing in things), default=0)
    return [f"{thing.name:{wide}}  {thing.path}" for thing in things]


def ending(picture: Picture) -> str:
    """`succeeded in 1.90 s`, with the reason where there is one."""
    run = picture.run
    took = times.length(picture.seconds(datetime.now(UTC)))
    words = f"{run.state} in {took}" if run.state.ended else f"{_not_ended(run)} after {took}"
    return f"{words}: {run.reason}" if run.reason else words


def _not_ended(run: Run) -> str:
    return "waits for a person" if run.escalations else run.state.value


def style(run: Run) -> str:
    return f"bold {printing.STYLES.get(run.state.value, 'yellow')}"
