"""How a run is shown while it goes on: a live table on a terminal, a line for each event elsewhere, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import typer

from ..domain import times, wording
from ..domain.events import Event
from ..domain.picture import Picture
from . import printing
from .step_table import step_table

if TYPE_CHECKING:
    from rich.console import RenderableType


class Display(Protocol):
    def show(self, picture: Picture) -> None:
        """Called whenever something may have changed, and about ten times a second."""
        ...

    def say(self, line: str) -> None: ...

    def close(self) -> None: ...


class Silent:
    """For `--json`: the document at the end says it all."""

    def show(self, picture: Picture) -> None: ...

    def say(self, line: str) -> None: ...

    def close(self) -> None: ...


class Lines:
    """One line an event."""

    def __init__(self) -> None:
        self._seen = 0

    def show(self, picture: Picture) -> None:
        for event in picture.events[self._seen :]:
            typer.echo(line(picture, event))
        self._seen = len(picture.events)

    def say(self, line: str) -> None:
        typer.echo(line)

    def close(self) -> None: ...


def line(picture: Picture, event: Event) -> str:
    """`10:00:02  fetch    done: the number is 42`, in this machine's time."""
    wide = max((len(step.id) for step in picture.plan.steps), default=0)
    return f"{times.clock(event.at)}  {wording.step_of(event):{wide}}  {wording.tell(event)}"


class Live:
    """The step table, redrawn in place; it stays as it was last."""

    def __init__(self) -> None:
        from rich.live import Live as RichLive

        self._picture: Picture | None = None
        self._live = RichLive(
            console=printing.console(), get_renderable=self._render, refresh_per_second=10, redirect_stderr=False
        )
        self._live.start()

    def _render(self) -> RenderableType:
        if self._picture is None:
            return ""
        return step_table(self._picture, datetime.now(UTC), moving=not self._picture.run.state.ended)

    def show(self, picture: Picture) -> None:
        self._picture = picture

    def say(self, line: str) -> None:
        self._live.console.print(line, style="dim")

    def close(self) -> None:
        self._live.stop()


def display(*, as_json: bool) -> Display:
    if as_json:
        return Silent()
    return Live() if printing.console().is_terminal else Lines()
