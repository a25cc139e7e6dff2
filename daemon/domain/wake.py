"""When a run next needs its driver although nothing happens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from .model import Run


def wake_at(run: Run, since: datetime | None = None) -> datetime | None:
    """The earliest back-off, reminder or expiry of a run that has not ended.

    A reminder at or before `since`, the time of the last thing that happened, has been given.
    """
    return None if run.state.ended else min(_times(run, since), default=None)


def _times(run: Run, since: datetime | None) -> Iterator[datetime]:
    for step in run.steps.values():
        if step.wake_at is not None:
            yield step.wake_at
    for asked in run.escalations.values():
        yield asked.expires_at
        if since is None or asked.remind_at > since:
            yield asked.remind_at
