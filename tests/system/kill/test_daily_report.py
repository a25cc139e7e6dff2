"""The shipped daily report and a real post over HTTP, killed at named points and in between: each arrives once."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from daemon.cli import templates
from daemon.cli.demo import JOB, build_shop
from daemon.cli.session import Session
from daemon.domain.events import AttemptEnded
from daemon.domain.model import RunState, StepState, Succeeded
from tests.system.kill.stand import Stand
from tests.unit.tools.test_http_post import Receiver, receiver

__all__ = ["receiver"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
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

    [run] = stand.runs()
    assert run.state is RunState.SUCCEEDED, run.reason
    assert {at.state for at in run.steps.values()} == {StepState.DONE}
    assert len(to.arrived) == 1
    assert len(stand.messages()) == 1
    ends = [event for event in stand.events(run.id) if isinstance(event, AttemptEnded)]
    done = Counter(end.step for end in ends if isinstance(end.outcome, Succeeded))
    assert max(done.values()) == 1


@pytest.mark.parametrize("strikes", STRIKES.values(), ids=STRIKES.keys())
def test_killed_it_is_finished_by_the_next_and_everything_arrives_once(
    strikes: tuple[str, ...], tmp_path: Path, receiver: Receiver
) -> None:
    hold(daily_report(tmp_path, receiver), strikes, receiver)


def test_killed_on_postgresql_it_is_finished_and_everything_arrives_once(
    tmp_path: Path, receiver: Receiver, new_database: Callable[[], str]
) -> None:
    hold(daily_report(tmp_path, receiver, new_database()), ("outcome:3", "launch:3"), receiver)
