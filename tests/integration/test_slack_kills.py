"""Every fault of the post, with a kill at every moment of it: one report, or none and a question for a person."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from atomic_tools import CannotTell, Found, Partial, ToolError
from daemon.testing.fake_slack import FakeSlack, Fault
from tests.integration.slack_post import KEY, ask, near, part_of, reports, send, with_files
from tests.integration.slack_victim import attempt
from tests.integration.test_slack_delivery import FAULTS

pytestmark = pytest.mark.slow
POST, COMPLETE = "chat.postMessage", "files.completeUploadExternal"
MOMENTS = ("never", "before", "requested", "answered")
CELLS = int(os.environ.get("SLACK_CELLS", "40"))
"""`make soak` sets 240."""
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.integration.slack_victim"])


@dataclass
class Cell:
    """What goes wrong: the fault of the first post, when the first attempt dies, and how Slack is that day."""

    seed: int
    fault: str = ""
    moment: str = ""
    method: str = ""
    lag: float = 0.0
    shares: float | None = 0.0
    history: bool = True
    strikes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        dice = random.Random(self.seed)
        names = list(FAULTS)
        self.fault = names[self.seed % len(names)]
        self.moment = MOMENTS[self.seed // len(names) % len(MOMENTS)]
        self.method = dice.choice((POST, POST, COMPLETE))
        self.lag = dice.choice((0.0, 0.0, 5.0))
        self.shares = dice.choice((0.0, 0.0, 0.1))
        self.history = dice.random() > 0.1


def live(cell: Cell, slack: FakeSlack, folder: Path) -> str:
    """As the policy: the attempt, then, in doubt, the question after the settling time, then what is missing."""
    asked = with_files(folder)
    doubt, parts, kind = True, (), _first(cell, slack, folder)  # type: bool, tuple[str, ...], str | None
    for _ in range(5):
        if kind == "":
            return "delivered"
        doubt = kind in {None, "unknown_outcome"}
        if doubt:
            skipped = slack.workspace.now() + cell.lag - time.time()
            slack.workspace.now = lambda skipped=skipped: time.time() + skipped  # type: ignore[misc]
            said = ask(asked, near(slack, folder))
            if isinstance(said, Found):
                return "delivered"
            if isinstance(said, CannotTell):
                return "asked"
            parts = said.parts if isinstance(said, Partial) else ()
        try:
            send(asked, near(slack, folder, parts=parts))
        except ToolError as error:
            kind = error.kind
        else:
            return "delivered"
    return "used up"


def _first(cell: Cell, slack: FakeSlack, folder: Path) -> str | None:
    """The kind of the failure, empty for a delivery, None for a death."""
    if cell.moment == "requested":
        slack.faults[cell.method].append(Fault.late(30.0))
    else:
        slack.faults[POST].append(FAULTS[cell.fault])
    ended = folder / "ended"
    strike = (cell.moment, cell.method)
    process = PROCESSES.Process(target=attempt, args=(with_files(folder), near(slack, folder), strike, ended))
    process.start()
    while cell.moment == "requested" and process.is_alive() and not slack.counted(cell.method):
        time.sleep(0.005)
    if cell.moment == "requested":
        process.kill()
    process.join(30)
    if cell.moment == "requested":
        slack.faults[POST].append(FAULTS[cell.fault])
    return ended.read_text() if ended.exists() else None


@pytest.mark.parametrize("seed", range(CELLS))
def test_one_report_or_none_and_a_question(seed: int, tmp_path: Path) -> None:
    cell = Cell(seed)
    with FakeSlack() as slack:
        slack.workspace.lag, slack.workspace.share_after = cell.lag, cell.shares
        if not cell.history:
            slack.workspace.tokens[slack.token] = ("chat:write", "channels:read", "groups:read", "files:write")
        outcome = live(cell, slack, tmp_path)
        count = len(reports(slack))
        parts = [part_of(message) for _, message in slack.workspace.with_key(KEY)]
    assert len(set(parts)) == len(parts)
    assert (count == 1 and outcome == "delivered") or (outcome == "asked" and count <= 1), (cell, outcome, count)
    assert outcome == "delivered" or not cell.history
