"""A config folder with a real store, and a daemon over it whose tools follow a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from daemon.app import Daemon, wire
from daemon.cli.carrying import Bulletin
from daemon.cli.errand import Errand
from daemon.config import Loaded, read_settings
from daemon.domain.job import Job
from daemon.domain.plan import Step
from daemon.ports import Call, Ended
from daemon.testing.plays import Play, Script
from daemon.testing.tools import make_job, make_plan

SETTINGS = "state: ../state\n"
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)


class NeverKilled:
    def kill(self) -> None: ...


@dataclass
class AtOnce:
    """A ToolRunner whose calls come out while they are started."""

    script: Callable[[Call], Play] = Script()
    calls: list[Call] = field(default_factory=list)

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> NeverKilled:
        self.calls.append(call)
        outcome = self.script(call).outcome
        assert outcome is not None
        on_end(Ended(outcome, "looked hard"))
        return NeverKilled()

    def close(self) -> None: ...


@dataclass
class Desk:
    folder: Path
    runner: AtOnce = field(default_factory=AtOnce)
    bulletin: Bulletin = field(default_factory=Bulletin)

    @contextmanager
    def daemon(self, *jobs: Job) -> Iterator[Daemon]:
        config = Loaded(read_settings(self.folder), jobs, ())
        with closing(wire(config, [self.bulletin])) as daemon:
            vars(daemon)["runner"] = self.runner
            yield daemon

    def run(self, job: Job, day: date = YESTERDAY, *, as_json: bool = False, dry_run: bool = False) -> int:
        """An errand from request to report; its exit code."""
        with self.daemon(job) as daemon:
            return Errand(daemon, self.bulletin, as_json=as_json).run(job, day, dry_run=dry_run)


def job_of(*steps: Step, cron: str | None = "0 10 * * *") -> Job:
    return make_job(make_plan(steps or (Step("fetch", "look"),)), cron)
