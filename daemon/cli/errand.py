"""One run from request to report, as a command does it."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import typer

from ..adapters.zone_data import zone_data_version
from ..domain.job import Job
from ..domain.model import Run
from ..ports import Birth
from ..runtime.requests import OVER, Requested, request, send_again
from . import printing, results, times
from .carrying import Bulletin, Carrying
from .display import display
from .document import document
from .exit_codes import ExitCode
from .picture import Picture
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon

MOST_RUNS = 1000
"""Runs of a job among which those of one day are looked for, newest first."""


class Errand:
    """What it says goes to stdout; with `as_json` that is one document at the end."""

    def __init__(self, daemon: Daemon, bulletin: Bulletin, *, as_json: bool = False) -> None:
        self._daemon = daemon
        self._bulletin = bulletin
        self._as_json = as_json

    def run(self, job: Job, day: date, *, dry_run: bool = False) -> ExitCode:
        return self._see_through(self._request(job, day, dry_run=dry_run))

    def send_again(self, job: Job, day: date, by: str) -> ExitCode:
        """What was delivered for that day is delivered once more. Raises Misuse."""
        store = self._daemon.store
        rows = self._daemon.queries.runs(job.id, limit=MOST_RUNS)
        earlier = [store.load(row.id) for row in rows if row.date == day.isoformat()]
        try:
            run = send_again(job, [one for one in earlier if not one.dry_run], self._daemon.clock.now(), by)
        except ValueError as reason:
            raise Misuse(f"{job.id} for {day} cannot be sent again: {reason}", "run it without --resend") from None
        return self._see_through(self._stored(job, run))

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

    def _request(self, job: Job, day: date, *, dry_run: bool) -> Requested:
        """Stored before anything happens, so that two who ask at once get the same run."""
        store, now = self._daemon.store, self._daemon.clock.now()
        requested = request(store, job, day, now, zone_data_version(), dry_run=dry_run)
        if requested.new and not dry_run and (begun := self._unfinished(requested.run)):
            return Requested(begun, new=False)
        if not requested.new:
            return requested
        return self._stored(job, requested.run)

    def _stored(self, job: Job, run: Run) -> Requested:
        self._daemon.plans.keep(job.plan)
        [stored] = self._daemon.store.create([Birth(run)])
        return Requested(run if stored else self._daemon.store.load(run.id), new=stored)

    def _unfinished(self, wanted: Run) -> Run | None:
        """A job without a schedule has no occurrence to be known by: an open request for that day is the same one."""
        rows = self._daemon.queries.runs(wanted.job, limit=100)
        same = [row for row in rows if row.date == wanted.data.day.isoformat() and row.cause == wanted.cause]
        return next((self._daemon.store.load(row.id) for row in same if not row.state.ended), None)

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
            printing.say_json(document(picture, things))
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
