"""One run from request to report, as a command does it."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING

import typer

from ..domain import times
from ..domain.document import document
from ..domain.job import Job
from ..domain.model import Run
from ..domain.picture import Picture
from ..ports import Requested
from ..runtime.requests import OVER
from . import printing, results
from .carrying import Bulletin, Carrying
from .display import display
from .exit_codes import ExitCode
from .inbox import actor

if TYPE_CHECKING:
    from ..app import Daemon


class Errand:
    """What it says goes to stdout; with `as_json` that is one document at the end."""

    def __init__(self, daemon: Daemon, bulletin: Bulletin, *, as_json: bool = False) -> None:
        self._daemon = daemon
        self._bulletin = bulletin
        self._as_json = as_json

    def run(self, job: Job, day: date, *, dry_run: bool = False) -> ExitCode:
        return self._see_through(self._daemon.commands.request(actor(), job.id, day, dry_run=dry_run))

    def send_again(self, job: Job, day: date) -> ExitCode:
        """What was delivered for that day is delivered once more."""
        return self.see_through(self._daemon.commands.send_again(actor(), job.id, day))

    def _see_through(self, requested: Requested) -> ExitCode:
        self._introduce(requested)
        if requested.run.state in OVER:
            return self._report(requested.run)
        return self._to_end(requested.run)

    def see_through(self, run: Run) -> ExitCode:
        """A run that is stored already, to its end."""
        self._introduce(Requested(run, new=True))
        return self._to_end(run)

    def _to_end(self, run: Run) -> ExitCode:
        try:
            return self._report(self._follow(run.id))
        except KeyboardInterrupt:
            return self._interrupted(run)

    def _introduce(self, requested: Requested) -> None:
        run = requested.run
        self._say(f"{run.job} for {run.data.day:%a %Y-%m-%d} ({run.data.timezone}), run {run.id}")
        if run.state in OVER and run.ended_at:
            self._say(f"This was already delivered: it {run.state} at {times.local(run.ended_at, run.data.timezone)}.")
        elif not requested.new:
            self._say("It had begun before; finished steps are not run again.")

    def _follow(self, run_id: str) -> Run:
        shown = display(as_json=self._as_json)
        carrying = Carrying(self._daemon, self._bulletin, run_id, shown)
        try:
            return carrying.to_end()
        except KeyboardInterrupt:
            shown.close()
            _stop_or_die(carrying)
            raise
        finally:
            shown.close()

    def _report(self, run: Run) -> ExitCode:
        picture = Picture(self._daemon.plans.get(run.plan), run, self._daemon.queries.events(run.id))
        things = results.made(picture, self._daemon.artifacts)
        if self._as_json:
            printing.say_json(document(picture, [asdict(thing) for thing in things]))
        else:
            _say_end(picture, things)
        return results.exit_code(run)

    def _interrupted(self, run: Run) -> ExitCode:
        again = f"clockwright run {run.job} --date {run.data.day}"
        typer.echo(f"Interrupted. What is finished is kept; go on with: {again}", err=True)
        return ExitCode.INTERRUPTED

    def _say(self, line: str) -> None:
        if not self._as_json:
            typer.echo(line)


def _stop_or_die(carrying: Carrying) -> None:
    """A second Ctrl-C while the first is being obeyed ends the process at once."""
    try:
        carrying.stop()
    except KeyboardInterrupt:
        os._exit(ExitCode.INTERRUPTED)


def _say_end(picture: Picture, things: list[results.Made]) -> None:
    printing.console().print(f"\n{results.ending(picture)}", style=results.style(picture.run))
    for line in (*results.how_to_answer(picture.run), *results.lines_of(things)):
        typer.echo(f"  {line}")
