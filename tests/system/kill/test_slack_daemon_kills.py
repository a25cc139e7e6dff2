"""The daemon killed around a post to a Slack that misbehaves: one report in the channel, never two.

A seeded choice of the cells; SLACK_CELLS=N takes N of them, in the same order.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from atomic_tools._slack_forms import MESSAGE, PICTURED, PLAIN, TEXT
from daemon.domain.model import Run
from daemon.runtime.requests import OVER
from daemon.testing.fake_slack import FakeSlack
from daemon.testing.fake_slack.workspace import TOKEN
from tests.system.kill.slack_cells import CELLS, WRONGS, Cell
from tests.system.kill.stand import JOB, TOOLS, Stand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
COUNT = int(os.environ.get("SLACK_CELLS", "40"))
"""`make soak` takes them all."""
FORMS = frozenset({MESSAGE, PICTURED, PLAIN, TEXT})
LONG = "# Sales\n\n" + "**€5.00** and so on. " * 1_000
"""Three messages."""
AT_ONCE = 12
"""Most of a cell is waiting: for answers, for deadlines, for Slack's history to settle."""


@dataclass(frozen=True)
class Ending:
    """How a cell ended. A run may be followed by another one that only finds the report delivered."""

    cell: Cell
    reports: int
    twice: tuple[str, ...]
    run: Run
    log: str
    leaked: bool

    @property
    def right(self) -> bool:
        if self.twice or self.leaked:
            return False
        if self.run.escalations:
            return not WRONGS[self.cell.wrong].history and self.reports <= 1
        return self.reports == 1 and self.run.state in OVER

    def __str__(self) -> str:
        return (
            f"{self.cell}: {self.reports} reports, {self.run.state}: {self.run.reason}, twice {self.twice}\n{self.log}"
        )


def play(folder: Path, cell: Cell, described: Path | None = None) -> Ending:
    """`described` is a tools.json of an earlier cell: to describe the tools is most of a start's work."""
    with FakeSlack() as slack:
        cell.befall(slack)
        stand = _stand(folder, slack, described)
        if _struck(stand.start(strike=cell.strike or "never"), slack, cell.held):  # else it was over before that
            stand.start().wait(180)
    run = max(stand.runs(), key=lambda run: run.revision)
    arrived = _arrived(slack)
    twice = tuple(part for part, count in arrived.items() if count > 1)
    kept = (path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file())
    leaked = TOKEN in stand.log or any(TOKEN.encode() in content for content in kept)
    reports = sum(count for part, count in arrived.items() if part in FORMS)
    return Ending(cell, reports, twice, run, stand.log[-1500:], leaked)


def _struck(process: subprocess.Popen[str], slack: FakeSlack, held: str) -> bool:
    """Whether it was killed, by itself or, once the request that is held has arrived, by us."""
    while held and process.poll() is None:
        if slack.counted(held):
            process.kill()
        time.sleep(0.01)
    return process.wait(180) == -signal.SIGKILL


def _arrived(slack: FakeSlack) -> Counter[str]:
    """How often each part is in the channel, by the parts that were said with the message, and the names of files."""
    messages = slack.workspace.called("#sales").messages
    parts = Counter(each["metadata"]["event_payload"]["part"] for each in messages if each.get("metadata"))
    return parts + Counter(file["name"] for each in messages for file in each.get("files", ()))


def _stand(folder: Path, slack: FakeSlack, described: Path | None) -> Stand:
    draw = {"id": "draw", "use": "draws"}
    given = {
        "channel": "#sales",
        "text": "Sales",
        "markdown": LONG,
        "chart": "${steps.draw.output.chart}",
        "report": "${steps.draw.output.report}",
    }
    step = {"id": "post", "use": "slack_send_message", "timeout": "6s", "needs": ["draw"], "retry": {"first": "1s"}}
    stand = Stand(folder, cache=described).set_up(
        {"id": JOB, "goal": "One report", "timezone": "UTC", "steps": [draw, {**step, "with": given}]}
    )
    (folder / "token").write_text(slack.token)
    settings = {
        "state": str(folder / "state"),
        "tools": [str(TOOLS)],
        "secrets": {"bot": {"file": str(folder / "token")}},
        "slack": {"token": "bot", "api": slack.url},
    }
    (folder / "config" / "clockwright.yaml").write_text(json.dumps(settings))
    return stand


def endings(folder: Path, count: int) -> Iterator[Ending]:
    chosen = CELLS[:count]
    folders = [folder / str(number) for number in range(len(chosen))]
    yield play(folders[0], chosen[0])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        described = folders[0] / "state" / "tools.json"
        yield from pool.map(lambda place, cell: play(place, cell, described), folders[1:], chosen[1:])


def test_the_channel_ends_with_one_report_or_none_and_a_question(tmp_path: Path) -> None:
    wrong = [ending for ending in endings(tmp_path, COUNT) if not ending.right]
    assert not wrong, "\n\n".join(map(str, wrong))
