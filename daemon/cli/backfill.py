"""`clockwright backfill`: a job for every day of a range that it has not run for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ..domain import times
from . import printing
from .exit_codes import ExitCode
from .inbox import actor
from .requesting import day_named, job_named
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon
    from ..domain.job import Job, Occurrence
    from ..domain.model import Run
    from .carrying import Bulletin


def register(app: typer.Typer) -> None:
    app.command()(backfill)


def backfill(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    first: Annotated[str, typer.Option("--from", metavar="YYYY-MM-DD", help="The first day to report on.")],
    last: Annotated[
        str | None, typer.Option("--to", metavar="YYYY-MM-DD", help="The last one; yesterday without it.")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=100, help="How many runs go on at the same time.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would run.")] = False,
) -> int:
    """Run a job for each day that it has not succeeded for. Can be interrupted and given again: it goes on."""
    from ..adapters.zone_data import zone_data_version
    from ..domain.calendar import occurrences
    from .carrying import Bulletin

    session: Session = context.obj
    config, now = session.config(), datetime.now(UTC)
    chosen = job_named(config, job)
    days = day_named(first, chosen, now), day_named(last, chosen, now)
    owed = list(occurrences(chosen, *days, zone_data_version()))
    if not owed:
        raise Misuse(f"{job} is not due for any day from {days[0]} to {days[1]}", "see 'clockwright jobs next'")
    bulletin = Bulletin()
    with closing(session.daemon(config, [bulletin])) as daemon:
        work = Backfill(daemon, bulletin, chosen, at_once)
        if dry_run:
            return work.tell(owed)
        daemon.commands.note(actor(), "backfill", job=job, detail=f"{days[0]} to {days[1]}")
        return work.run(owed)


@dataclass
class Backfill:
    """Each occurrence has at most one run that counts, so whoever repeats this repeats nothing."""

    daemon: Daemon
    bulletin: Bulletin
    job: Job
    at_once: int
    ended: list[Run] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def tell(self, owed: list[Occurrence]) -> int:
        rows = [(str(due.data.day), times.local(due.instant, due.data.timezone), self._fate(due)) for due in owed]
        printing.say_table(("reports on", "due", "would"), rows, "nothing")
        return ExitCode.OK

    def _fate(self, due: Occurrence) -> str:
        from ..runtime.requests import OVER

        latest = self.daemon.store.latest(self.job.id, due.instant)
        if latest is None:
            return "run"
        if latest.state.ended and latest.state not in OVER:
            return f"run again (it {latest.state})"
        return f"stay ({latest.state})"

    def run(self, owed: list[Occurrence]) -> int:
        from .lead import Lead

        waiting, lead = iter(owed), Lead(self.daemon, self.bulletin)
        while self._fill(waiting) or self.open:
            lead.carry(self.open)
            for run in [self.daemon.store.load(run_id) for run_id in self.open]:
                self._look(run, len(owed))
        return self._code()

    def _fill(self, waiting: Iterator[Occurrence]) -> bool:
        """Begin as many as may go on; whether there may be more."""
        while len(self.open) < self.at_once:
            due = next(waiting, None)
            if due is None:
                return False
            self.open.append(self._begin(due))
        return True

    def _begin(self, due: Occurrence) -> str:
        from ..ports import Birth
        from ..runtime.requests import wanted

        asked = wanted(self.daemon.store, self.job, due, self.daemon.clock.now(), cause="backfill")
        if asked.new:
            self.daemon.plans.keep(self.job.plan)
            self.daemon.store.create([Birth(asked.run)])
            self.daemon.doorbell.ring()
        return asked.run.id

    def _look(self, run: Run, total: int) -> None:
        from .carrying import waits_for_person

        if run.state.ended or waits_for_person(run):
            self.open.remove(run.id)
            self.ended.append(run)
            reason = f": {run.reason}" if run.reason else ""
            typer.echo(f"{len(self.ended)} of {total}  {run.data.day}  {run.state}{reason}  ({run.id})")

    def _code(self) -> int:
        from .results import exit_code

        codes = [exit_code(run) for run in self.ended]
        return next((code for code in codes if code is not ExitCode.OK), ExitCode.OK)
