"""What 10,000 steps of history weigh: `python -m benchmarks.growth [STEPS]`.

Runs of five steps, each with an output of 1 KB, through the real driver into a SQLite file; the file is measured after
every fifth of them. Growth must be linear, and at most 3 KB a step.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from daemon.adapters.sql import open_store
from daemon.domain.birth import new_run
from daemon.domain.calendar import occurrence
from daemon.domain.plan import Plan, Step
from daemon.runtime.plans import Plans
from daemon.testing.fake_clock import FakeClock
from daemon.testing.inline_executor import InlineExecutor
from daemon.testing.plays import Script, succeed
from daemon.testing.scripted_runner import ScriptedRunner
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

STEPS_A_RUN = 5
PARTS = 5
MOST_BYTES = 3 * 1024


def sizes(path: Path, steps: int) -> Iterator[int]:
    """Bytes of the database after each part, with the log folded in."""
    names = [f"s{number}" for number in range(STEPS_A_RUN)]
    plan = make_plan([Step(name, "look", needs=tuple(names[at - 1 : at])) for at, name in enumerate(names)])
    for _ in range(PARTS):
        _part(path, plan, steps // PARTS // STEPS_A_RUN)
        yield sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def _part(path: Path, plan: Plan, runs: int) -> None:
    store, job = open_store(path), make_job(plan, None)
    clock = FakeClock(datetime.now(UTC))
    runner = ScriptedRunner(clock, Script(otherwise=succeed({"text": "x" * 1000})))
    outside = replace(Stage().outside, clock=clock, store=store, runner=runner)
    plans = Plans(store)
    executor = InlineExecutor(outside, plans, clock)
    plans.keep(plan)
    for _ in range(runs):
        clock.advance(60.0)
        run = new_run(job, occurrence(job, clock.now(), ZONE_DATA), clock.now(), cause="growth")
        executor.begin(run, plan)
        clock.advance(1.0)
        assert store.load(run.id).state.ended, f"{run.id} has not ended"
    store.close()


def main(steps: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = list(sizes(Path(folder) / "state.db", steps))
    grown = [after - before for before, after in pairwise(found)]
    each = [growth / (steps / PARTS) for growth in grown]
    for at, size in enumerate(found, 1):
        print(f"{at * steps // PARTS:6} steps  {size / 1e6:7.2f} MB")
    print(f"bytes a step: {', '.join(f'{one:.0f}' for one in each)}  (budget {MOST_BYTES})")
    linear = max(each) <= 1.15 * min(each)
    print("linear" if linear else "not linear")
    return 0 if linear and max(each) <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
