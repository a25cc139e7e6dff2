"""What a simulated history is about: a job, and the actors that play its tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from daemon.domain.job import Job
from daemon.ports import Call, Decider

from .plays import Play


class Actors(Protocol):
    def __call__(self, call: Call) -> Play:
        """What the tool does in this call."""
        ...

    def fatal(self, call: Call) -> bool:
        """Whether the daemon dies while this call runs."""
        ...


@dataclass(frozen=True, slots=True)
class Production:
    job: Job
    cast: Actors
    decider: Decider | None = None
    """Whims of the dice where it is not given."""
    follower: Job | None = None
    """Another job, due after this one."""

    @property
    def jobs(self) -> dict[str, Job]:
        return {job.id: job for job in (self.job, self.follower) if job}
