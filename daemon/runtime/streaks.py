"""Pauses a job that fails run after run, and asks for a person: the next run is not likely to fare better."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ..domain.events import Event, RunEnded
from ..domain.model import Run, RunState
from ..domain.pause import Pause
from ..domain.streak import DAEMON, MOST_FAILURES, failures_in_a_row, why_paused
from ..ports import Notice, Queries, Severity, Store

_LOOKED_AT = 20


class Streaks:
    """An EventSink. `say` hears of the third failure in a row and of every one after it."""

    def __init__(
        self, store: Callable[[], Store], queries: Callable[[], Queries], say: Callable[[Notice], None]
    ) -> None:
        self._store = store
        self._queries = queries
        self._say = say

    def emit(self, run: Run, event: Event) -> None:
        if not isinstance(event, RunEnded) or event.state is not RunState.FAILED or run.dry_run:
            return
        rows = self._queries().runs(run.job, limit=_LOOKED_AT)
        failures = failures_in_a_row(row.state for row in rows if row.cause != "dry run")
        if failures >= MOST_FAILURES:
            self._pause(run, event.at, why_paused(failures))
            message = f"{run.job} is paused: it has failed {failures} times in a row; the last time: {event.reason}"
            self._say(Notice("failing_in_a_row", message, Severity.CRITICAL, job=run.job, run=run.id))

    def _pause(self, run: Run, at: datetime, why: str) -> None:
        """A pause that is there already, a person's perhaps, stays as it is."""
        store = self._store()
        if not any(pause.job == run.job and pause.holds(at) for pause in store.pauses()):
            store.pause(Pause(run.job, at, DAEMON, why))

    def notice(self, notice: Notice) -> None:
        """What happens to the daemon is no job's failure."""
