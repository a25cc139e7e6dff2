"""An alerter over a store in memory, with people who can be reached, or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from daemon.domain.alerts import Alert
from daemon.domain.errors import Kind
from daemon.domain.events import Answered, Escalated, RunEnded
from daemon.domain.job import Job
from daemon.domain.manners import Manners
from daemon.domain.model import Escalation, Failed, RunState, StepState
from daemon.ports import Birth, Notice
from daemon.runtime.alert_intake import AlertIntake
from daemon.runtime.alerter import Alerter
from daemon.runtime.outside import Fence
from daemon.runtime.teller import Teller, Ways
from daemon.testing.fake_clock import FakeClock
from daemon.testing.letterbox import FakePen, Letterbox, OtherWay
from daemon.testing.memory_store import MemoryStore
from tests.builders import T0, a_change, a_run

DOWN = Failed(Kind.TRANSIENT, "Slack cannot be reached")
DENIED = Failed(Kind.DENIED, "invalid_auth")


@dataclass
class Newsroom:
    manners: Manners = Manners(channel="#ops")
    slack: Letterbox = field(default_factory=Letterbox)
    pen: FakePen = field(default_factory=FakePen)
    second: OtherWay | None = field(default_factory=OtherWay)
    jobs: Mapping[str, Job] = field(default_factory=dict)
    with_slack: bool = True
    limit: int = 1000
    store: MemoryStore = field(default_factory=lambda: MemoryStore(strict=True))
    clock: FakeClock = field(default_factory=lambda: FakeClock(T0))
    notices: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alerter = self.start()

    def start(self) -> Alerter:
        """A daemon's alerter as after a start: nothing is in its memory."""
        ways = Ways(self.slack if self.with_slack else None, self.pen, self.second)
        teller = Teller(self.clock, lambda: ways, lambda: self.manners, lambda _alert: (), self._hear)
        intake = AlertIntake(self.store.alerts, self.store, self.store, lambda: self.jobs, self.limit)
        self.alerter = Alerter(self.store.alerts, intake, teller, lambda: self.manners, self.clock, Fence())
        return self.alerter

    def _hear(self, notice: Notice) -> None:
        self.notices.append(notice)
        self.alerter.notice(notice)

    def turn(self, after: float = 0) -> None:
        self.clock.advance(after)
        self.alerter.turn()

    def live(self, seconds: float) -> None:
        """Let time pass, turn by turn as the alerter wants them."""
        end = self.clock.now() + timedelta(seconds=seconds)
        while (now := self.clock.now()) < end:
            until = min(max(self.alerter.turn(), now + timedelta(milliseconds=200)), end)
            self.clock.advance((until - now).total_seconds())
        self.alerter.turn()

    def run(self, name: str, state: RunState, reason: str = "query: transient: no connection", job: str = "") -> None:
        """A run of the job of the same name that ends now."""
        now = self.clock.now()
        run = replace(a_run(name, job=job or name, at=now), dry_run=False)
        if state is RunState.FAILED:
            broken = replace(
                run.steps["query"], state=StepState.FAILED, failure=Failed(Kind.TRANSIENT, "refused by 10.0.0.7:5432")
            )
            run = replace(run, steps={**run.steps, "query": broken})
        self.store.create([Birth(run)])
        run = self.store.load(name)
        self.store.commit(a_change(run, RunEnded(now, state, reason), state=state, ended_at=now, reason=reason))

    def ask(self, question: Escalation, name: str = "run-1", job: str = "daily") -> None:
        self.store.create([Birth(a_run(name, job=job))])
        run = self.store.load(name)
        self.store.commit(a_change(run, Escalated(question.asked_at, question), escalations={question.id: question}))

    def answer(self, question: Escalation, option: str, by: str, name: str = "run-1") -> None:
        run = self.store.load(name)
        self.store.commit(a_change(run, Answered(self.clock.now(), question.id, option, by), escalations={}))

    @property
    def alerts(self) -> list[Alert]:
        return self.store.alerts.active()

    @property
    def headlines(self) -> list[str]:
        return [letter.headline for letter in self.slack.letters]
