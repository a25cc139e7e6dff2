"""A job, or the whole daemon, that a person or the daemon itself has stopped for a while."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

EVERYTHING = "*"
"""Stands for all jobs where a job's id is expected."""


@dataclass(frozen=True, slots=True)
class Pause:
    """While it lasts nothing of `job` starts. `until` None: until somebody resumes it."""

    job: str
    since: datetime
    by: str
    why: str = ""
    until: datetime | None = None

    def holds(self, now: datetime) -> bool:
        return self.until is None or now < self.until

    @property
    def told(self) -> str:
        """`paused by ada: the source is moved`."""
        what = "everything was paused" if self.job == EVERYTHING else "paused"
        return f"{what} by {self.by}" + (f": {self.why}" if self.why else "")
