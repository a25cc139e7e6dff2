"""Says when a job fails run after run: the next run is not likely to fare better."""

from __future__ import annotations

from collections.abc import Callable

from ..domain.events import Event, RunEnded
from ..domain.model import Run, RunState
from ..domain.streak import MOST_FAILURES, failures_in_a_row
from ..ports import Notice, Queries, Severity

_LOOKED_AT = 20


class Streaks:
    """An EventSink. `say` hears one notice at the third failure in a row and at every one after it."""

    def __init__(self, queries: Callable[[], Queries], say: Callable[[Notice], None]) -> None:
        self._queries = queries
        self._say = say

    def emit(self, run: Run, event: Event) -> None:
        if not isinstance(event, RunEnded) or event.state is not RunState.FAILED or run.dry_run:
            return
        rows = self._queries().runs(run.job, limit=_LOOKED_AT)
        failures = failures_in_a_row(row.state for row in rows if row.cause != "dry run")
        if failures >= MOST_FAILURES:
            message = f"{run.job} has failed {failures} times in a row; the last time: {event.reason}"
            self._say(Notice("failing_in_a_row", message, Severity.CRITICAL, job=run.job, run=run.id))

    def notice(self, notice: Notice) -> None:
        """What happens to the daemon is no job's failure."""
