"""The shipped daily report and a real post over HTTP, struck at named points and in between: each arrives once.

A seeded choice of the cells; REPORT_CELLS=N takes N of them, in the same order.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from daemon.cli import templates
from daemon.cli.demo import JOB, build_shop
from daemon.cli.session import Session
from daemon.domain.events import AttemptEnded
from daemon.domain.model import RunState, StepState, Succeeded
from tests.system.kill.report_cells import CELLS, Cell
from tests.system.kill.stand import Stand
from tests.unit.tools.test_http_post import Receiver, receiver, receiving

__all__ = ["receiver"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]
COUNT = int(os.environ.get("REPORT_CELLS", "6"))
"""`make soak` takes them all."""
LOCKED = "the database is locked by another"
AT_ONCE = 4
"""Whoever takes over from a frozen process waits for its lease."""
STRIKES = {
    "around the figures": ("outcome:2", "launch:2"),
    "around the post to the channel": ("launch:5", "during:1:0.05"),
    "around the post over HTTP": ("touch:14", "outcome:6"),
}


def daily_report(folder: Path, to: Receiver, store: str = "") -> Stand:
    """The shipped configuration with one more step, and deadlines that a test can wait for."""
    stand = Stand(folder, store)
    templates.write(folder / "config")
    job = yaml.safe_load((folder / "config" / "jobs" / f"{JOB}.yaml").read_text())
    post = job["steps"][-1]
    post["timeout"] = "4s"
    told = {"url": to.url, "body": {"text": "${steps.report.output.headline}"}}
    told["status_url"] = f"http://127.0.0.1:{to.port}/status/{{key}}"
    job["steps"].append({"id": "tell", "use": "http_post", "needs": ["post"], "timeout": "4s", "with": told})
    stand.write_job(job, JOB)
    settings = {"state": str(folder / "state")} | ({"store": store} if store else {})
    (folder / "config" / "clockwright.yaml").write_text(json.dumps(settings))
    config = Session(folder / "config").config()
    build_shop(config.settings, config.by_id[JOB])
    return stand


def hold(stand: Stand, strikes: tuple[str, ...], to: Receiver) -> None:
    killed = [stand.start(strike=strike).wait(120) for strike in strikes]
    assert -signal.SIGKILL in killed, stand.log
    assert stand.start().wait(120) == 0, stand.log
    assert not list(wrong(stand, to))


def wrong(stand: Stand, to: Receiver) -> Iterator[str]:
    """A run that was asked for once more, because the first had ended, finds everything delivered."""
    for run in stand.runs():
        if run.state is not RunState.SUCCEEDED or {at.state for at in run.steps.values()} != {StepState.DONE}:
            yield f"{run.id} ended {run.state}: {run.reason}"
        ends = [event for event in stand.events(run.id) if isinstance(event, AttemptEnded)]
        done = Counter(end.step for end in ends if isinstance(end.outcome, Succeeded))
        yield from (f"{step} of {run.id} was done {times} times" for step, times in done.items() if times > 1)
    if (posts := len(to.arrived)) != 1:
        yield f"{posts} posts arrived"
    if (messages := len(stand.messages())) != 1:
        yield f"{messages} messages in the outbox"


def play(folder: Path, cell: Cell, store: str) -> str:
    """What came out wrong; empty where nothing did."""
    with receiving() as to:
        stand = daily_report(folder, to, store)
        first = stand.start(strike="never" if cell.after else f"{'stop-' * cell.freezes}{cell.strike}")
        if cell.after is not None:
            time.sleep(cell.after)
            first.send_signal(signal.SIGSTOP if cell.freezes else signal.SIGKILL)
        stand.wait_frozen(first)
        codes = [stand.start().wait(180)]
        if first.poll() is None:
            first.send_signal(signal.SIGCONT)
            codes.append(first.wait(60))
        if codes[0] and LOCKED in stand.log:  # the first was frozen in the middle of making the tables
            codes[0] = stand.start().wait(180)
        told = [*wrong(stand, to), *(f"ended with {code}" for code in codes if code)]
    return f"{cell}: {'; '.join(told)}\n{stand.log}" if told else ""


@pytest.mark.parametrize("strikes", STRIKES.values(), ids=STRIKES.keys())
def test_killed_it_is_finished_by_the_next_and_everything_arrives_once(
    strikes: tuple[str, ...], tmp_path: Path, receiver: Receiver
) -> None:
    hold(daily_report(tmp_path, receiver), strikes, receiver)


def test_killed_on_postgresql_it_is_finished_and_everything_arrives_once(
    tmp_path: Path, receiver: Receiver, new_database: Callable[[], str]
) -> None:
    hold(daily_report(tmp_path, receiver, new_database()), ("outcome:3", "launch:3"), receiver)


def test_struck_at_any_moment_everything_arrives_once(tmp_path: Path, new_database: Callable[[], str]) -> None:
    chosen = CELLS[:COUNT]
    stores = [new_database() if cell.on_postgresql else "" for cell in chosen]
    folders = [tmp_path / str(number) for number in range(len(chosen))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = [each for each in pool.map(play, folders, chosen, stores) if each]
    assert not told, "\n\n".join(told)
