"""A new set of jobs on its way from whoever read it to the loop, which alone may put it in force."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..domain.absent import Absent
from ..domain.job import Job


@dataclass(frozen=True, slots=True)
class Jobs:
    """What is configured, and why what is not there is not there."""

    by_id: Mapping[str, Job]
    absent: Absent = field(default_factory=Absent)


def in_force(old: Mapping[str, Job], new: Jobs) -> Jobs:
    """The new jobs; where a file has faults, the last good one of the job stays."""
    kept = {name: job for name, job in old.items() if name not in new.by_id and new.absent.why(name)}
    return Jobs({**kept, **new.by_id}, new.absent)


class Renewal:
    """Thread safe; only the newest is put in force."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: Jobs | None = None

    def offer(self, jobs: Jobs) -> None:
        with self._lock:
            self._pending = jobs

    def take(self) -> Jobs | None:
        with self._lock:
            pending, self._pending = self._pending, None
            return pending
