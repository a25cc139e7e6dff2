"""The matrix of Slack's faults and of the moments at which the daemon is killed: one cell is one day of a report."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, replace

from daemon.testing.fake_slack import FakeSlack, Fault

POST, HISTORY, CHANNELS = "chat.postMessage", "conversations.history", "conversations.list"
RESERVE, UPLOAD, COMPLETE, INFO = (
    "files.getUploadURLExternal",
    "upload",
    "files.completeUploadExternal",
    "files.info",
)
HELD = 60.0
"""Seconds for which a request stays without an answer, so that the daemon can be killed meanwhile."""
TAKEN = Fault(done=True)
"""Nothing is wrong with this request; the next one is meant."""
MOMENTS = ("before the request", "after the request", "after the answer", "after the commit")
STRIKES = dict(zip(MOMENTS, ("launch:2", "", "outcome:2", "settled:2"), strict=True))
"""The second call of a run is the post; a kill after the request is made by whoever sees it arrive."""
LAGS = (0.0, 2.0)


@dataclass(frozen=True)
class Wrong:
    """What is wrong with Slack: faults of one method, each used once, or how it is all day."""

    method: str = POST
    faults: tuple[Fault, ...] = ()
    share_after: float | None = 0.0
    look_after: float | None = 0.0
    history: bool = True

    def befall(self, slack: FakeSlack) -> None:
        slack.faults[self.method].extend(self.faults)
        slack.workspace.share_after = self.share_after
        slack.workspace.look_after = self.look_after
        if not self.history:
            slack.workspace.tokens[slack.token] = ("chat:write", "channels:read", "groups:read", "files:write")

    @property
    def reads(self) -> bool:
        """Met only by whoever asks what became of a message."""
        return self.method not in {POST, RESERVE, UPLOAD, COMPLETE}


WRONGS: dict[str, Wrong] = {
    "nothing": Wrong(),
    "429": Wrong(faults=(Fault.limited(),)),
    "429 without a body": Wrong(faults=(Fault.limited(body=False),)),
    "429 and no time": Wrong(faults=(Fault.limited("", body=False),)),
    "500 page": Wrong(faults=(Fault.html(500),)),
    "503 page, taken": Wrong(faults=(Fault.html(done=True),)),
    "502 page, taken": Wrong(faults=(Fault.html(502, done=True),)),
    "504 page": Wrong(faults=(Fault.html(504),)),
    "empty": Wrong(faults=(Fault.empty(),)),
    "empty, taken": Wrong(faults=(Fault.empty(done=True),)),
    "dropped": Wrong(faults=(Fault.dropped(done=False),)),
    "taken and dropped": Wrong(faults=(Fault.dropped(done=True),)),
    "internal_error": Wrong(faults=(Fault.refusal("internal_error"),)),
    "fatal_error, taken": Wrong(faults=(replace(Fault.refusal("fatal_error"), done=True),)),
    "late answer": Wrong(faults=(Fault.late(1.5),)),
    "answer beyond the deadline": Wrong(faults=(Fault.late(9.0),)),
    "invalid_blocks": Wrong(faults=(Fault.refusal("invalid_blocks"),)),
    "no address: 429": Wrong(RESERVE, (Fault.limited(body=False),)),
    "no address: 503": Wrong(RESERVE, (Fault.html(),)),
    "upload dropped": Wrong(UPLOAD, (Fault.dropped(done=True),)),
    "upload: 500": Wrong(UPLOAD, (Fault.html(500),)),
    "completion: 503, taken": Wrong(COMPLETE, (Fault.html(done=True),)),
    "completion dropped": Wrong(COMPLETE, (Fault.dropped(done=False),)),
    "completion taken and dropped": Wrong(COMPLETE, (Fault.dropped(done=True),)),
    "the rest: 429": Wrong(faults=(TAKEN, Fault.limited())),
    "the rest: taken and dropped": Wrong(faults=(TAKEN, Fault.dropped(done=True))),
    "the rest: 503 page": Wrong(faults=(TAKEN, TAKEN, Fault.html())),
    "picture late": Wrong(look_after=1.0),
    "picture never shown": Wrong(look_after=None),
    "share late": Wrong(share_after=1.0),
    "never a share": Wrong(share_after=None),
    "history: 429": Wrong(HISTORY, (Fault.limited(),)),
    "history: 503": Wrong(HISTORY, (Fault.html(),)),
    "history dropped": Wrong(HISTORY, (Fault.dropped(done=False), Fault.dropped(done=False))),
    "no history": Wrong(history=False),
    "channels: 503": Wrong(CHANNELS, (Fault.html(),)),
}


@dataclass(frozen=True)
class Cell:
    """One day: what is wrong, when the daemon is killed, and how far history lags."""

    wrong: str
    moment: str
    lag: float

    @property
    def strike(self) -> str:
        return STRIKES[self.moment]

    @property
    def held(self) -> str:
        """The method whose request is left without an answer; empty where another strike kills."""
        wrong = WRONGS[self.wrong]
        return "" if self.strike else POST if wrong.reads else wrong.method

    def befall(self, slack: FakeSlack) -> None:
        """Where the daemon is killed while it waits, the fault is met there and, by its successor, once more."""
        wrong = WRONGS[self.wrong]
        slack.workspace.lag = self.lag
        if self.held:
            first = wrong.faults[0] if wrong.faults and not wrong.reads else TAKEN
            slack.faults[self.held].append(replace(first, seconds=HELD))
        wrong.befall(slack)

    def __str__(self) -> str:
        return f"{self.wrong}, killed {self.moment}, history {self.lag:g} s late"


CELLS = [Cell(*each) for each in itertools.product(WRONGS, MOMENTS, LAGS)]
random.Random(6).shuffle(CELLS)
