"""The real `run` and `serve` in a process that can be told where to die.

`python -m tests.system.kill.victim run|serve CONFIG STRIKE`

The store and the sandbox are the real ones; they are only watched. Nothing heavy is loaded ahead, because the tools
here need nothing.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import cast

from daemon.adapters.logs import Logs
from daemon.adapters.sandbox.recipe import Recipe
from daemon.adapters.sandbox.runner import Sandbox
from daemon.adapters.sql.store import SqlStore
from daemon.adapters.tools import SandboxRunner
from daemon.app import Daemon, incarnation, read_config
from daemon.cli.carrying import Bulletin
from daemon.cli.errand import Errand
from daemon.cli.serve import Stopping
from daemon.ports import EventSink, Store
from daemon.runtime.observers import Observers
from daemon.runtime.requests import yesterday
from daemon.serving import Serving
from daemon.testing.watched_store import WatchedStore
from tests.system.kill.strike import Strike, StruckRunner

DRAIN_SECONDS = 10.0


@dataclass(frozen=True)
class Victim(Daemon):
    strike: Strike = field(default_factory=lambda: Strike("never"))

    @cached_property
    def store(self) -> Store:
        return WatchedStore(SqlStore(self._database), self.strike)

    @cached_property
    def runner(self) -> SandboxRunner:
        settings = self.config.settings
        used = {tool for job in self.config.jobs for tool in job.plan.tools}
        recipe = Recipe(settings.tools, tuple(sorted(used)), preload=(), cache=settings.state / "cache")
        return cast("SandboxRunner", StruckRunner(SandboxRunner(Sandbox(recipe)), self.strike))


def main(mode: str, folder: str, strike: str) -> int:
    faulthandler.register(signal.SIGUSR1)  # a process that hangs can be asked where
    config = read_config(Path(folder))
    bulletin = Bulletin()
    sinks: list[EventSink] = [bulletin, Logs("text", "info")]
    with closing(Serving(Victim(config, Observers(sinks), incarnation(), strike=Strike(strike)))) as serving:
        if mode == "serve":
            stopping = Stopping(serving, DRAIN_SECONDS)
            serving.loop.run(serving.attended)
            stopping.end()
            return 0
        [job] = config.jobs
        return Errand(serving.daemon, bulletin).run(job, yesterday(job, datetime.now(UTC)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
