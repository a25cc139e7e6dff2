"""Forgetting is a duty of whoever leads: once an hour, for the jobs that are in force then."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from daemon.domain.job import Job
from daemon.runtime.plans import Plans
from daemon.runtime.tidy import EVERY, Tidied
from daemon.testing.fake_clock import FakeClock
from daemon.testing.memory_artifacts import MemoryArtifacts
from daemon.testing.memory_store import MemoryStore
from daemon.testing.tools import make_job, make_plan
from tests.builders import T0


@dataclass
class Idle:
    """A duty with nothing to do."""

    def lead(self) -> bool:
        return True

    def take_over(self) -> None: ...

    def take_up(self) -> None: ...

    def tick(self) -> datetime:
        return T0 + timedelta(days=1)

    def stand_down(self) -> None: ...


@dataclass
class Asked:
    """`Attic` that remembers for which jobs it was asked to forget what."""

    asked: list[tuple[str, datetime]] = field(default_factory=list)
    dropped: list[list[str]] = field(default_factory=list)

    def count(self, job: str, before: datetime) -> int:  # noqa: ARG002 - never called
        raise AssertionError("nobody asked for a dry run")

    def prune(self, job: str, before: datetime, most: int) -> int:  # noqa: ARG002 - there is nothing
        self.asked.append((job, before))
        return 0

    def unfollowed(self) -> Set[str]:
        return frozenset({"followed by nobody", make_plan([]).digest})

    def drop(self, plans: Set[str]) -> int:
        self.dropped.append(sorted(plans))
        return len(plans)


def job(name: str, days: int) -> Job:
    return replace(make_job(make_plan([]), None), id=name, retention=timedelta(days=days))


def test_what_a_reload_brought_is_forgotten_by_its_own_retention_from_the_next_hour_on() -> None:
    attic, clock, jobs = Asked(), FakeClock(T0), [job("daily", 90)]
    duty = Tidied(Idle(), attic, Plans(MemoryStore()), MemoryArtifacts(), lambda: jobs, clock)
    duty.tick()
    jobs[:] = [job("daily", 10), job("weekly", 30)]
    duty.tick()
    assert attic.asked == [("daily", T0 - timedelta(days=90))]
    clock.advance(EVERY)
    duty.tick()
    now = clock.now()
    assert attic.dropped == [[], ["followed by nobody"]], "a plan may be stored a moment before its run"
    assert attic.asked[1:] == [("daily", now - timedelta(days=10)), ("weekly", now - timedelta(days=30))]
