"""The daemon killed around a post to a Slack that misbehaves: one report in the channel, never two.

A seeded choice of the cells; SLACK_CELLS=N takes N of them, in the same order.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.domain.model import RunState
from daemon.testing.fake_slack import FakeSlack, Fault, Workspace
from daemon.testing.fake_slack.workspace import TOKEN
from tests.system.kill.stand import JOB, Stand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
FAULTS: dict[str, Fault | None] = {
    "none": None,
    "429": Fault.limited(),
    "bare 429": Fault.limited(body=False),
    "503 page": Fault.html(),
    "502 page, taken": Fault.html(502, done=True),
    "fatal_error": Fault.refusal("fatal_error"),
    "dropped": Fault.dropped(done=False),
    "taken and dropped": Fault.dropped(done=True),
    "late answer": Fault.late(1.5),
}
STRIKES = ("launch:1", "during:1:0.3", "during:1:0.8", "outcome:1")
CELLS = random.Random(6).sample(list(itertools.product(FAULTS, STRIKES, (0.0, 2.0))), len(FAULTS) * len(STRIKES) * 2)


@dataclass(frozen=True)
class Ending:
    cell: str
    reports: int
    state: RunState
    log: str
    leaked: bool

    @property
    def right(self) -> bool:
        return self.reports == 1 and self.state is RunState.SUCCEEDED and not self.leaked


def play(folder: Path, fault: str, strike: str, lag: float) -> Ending:
    workspace = Workspace(lag=lag)
    channel = workspace.called("#sales")
    with FakeSlack(workspace) as slack:
        if (wrong := FAULTS[fault]) is not None:
            slack.faults["chat.postMessage"].append(wrong)
        stand = _stand(folder, slack)
        if stand.start(strike=strike).wait(120) == -signal.SIGKILL:  # else it was over before the strike
            stand.start().wait(180)
    [run] = stand.runs()
    kept = (path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file())
    leaked = TOKEN in stand.log or any(TOKEN.encode() in content for content in kept)
    return Ending(f"{fault}, {strike}, lag {lag:g} s", len(channel.messages), run.state, stand.log[-1500:], leaked)


def _stand(folder: Path, slack: FakeSlack) -> Stand:
    given = {"channel": "#sales", "text": "Sales", "markdown": "# Sales\n\n**€5.00**"}
    step = {"id": "post", "use": "slack_send_message", "timeout": "4s", "with": given, "retry": {"first": "1s"}}
    stand = Stand(folder).set_up({"id": JOB, "goal": "One report", "timezone": "UTC", "steps": [step]})
    (folder / "token").write_text(slack.token)
    settings = {
        "state": str(folder / "state"),
        "secrets": {"bot": {"file": str(folder / "token")}},
        "slack": {"token": "bot", "api": slack.url},
    }
    (folder / "config" / "clockwright.yaml").write_text(json.dumps(settings))
    return stand


def endings(folder: Path, count: int) -> Iterator[Ending]:
    chosen = CELLS[:count]
    folders = [folder / str(number) for number in range(len(chosen))]
    with ThreadPoolExecutor(4) as pool:
        yield from pool.map(lambda place, cell: play(place, *cell), folders, chosen)


@pytest.mark.skipif("SLACK_CELLS" not in os.environ, reason="the cells of the whole daemon belong to `make soak`")
def test_the_channel_ends_with_one_report(tmp_path: Path) -> None:
    count = int(os.environ["SLACK_CELLS"])
    wrong = [ending for ending in endings(tmp_path, count) if not ending.right]
    assert not wrong, "\n".join(map(str, wrong))
