"""A run that waits for a person, a desk for presses in Slack, and the other ways to answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from daemon.domain.alerts import Subject, raised
from daemon.domain.errors import Kind
from daemon.domain.manners import Manners
from daemon.domain.model import Json, Run
from daemon.domain.plan import Plan, Step
from daemon.domain.presses import PREFIX, Mark, packed
from daemon.domain.troubles import of_question
from daemon.ports import Notice
from daemon.runtime.commands import StoreCommands
from daemon.runtime.executor import Executor
from daemon.runtime.open_inputs import OpenInputs
from daemon.runtime.prepare import step_inputs
from daemon.runtime.press_desk import Counter, People, PressDesk
from daemon.testing.immediate_runner import ImmediateRunner
from daemon.testing.letterbox import FakePen
from daemon.testing.plays import Script, fail
from daemon.testing.stage import Stage
from daemon.testing.tools import make_job, make_plan, make_run

PLAN = make_plan(
    [Step("a", "look", inputs={"path": "/old"}, open=("path",), title="Look"), Step("b", "send", inputs={"to": "#a"})]
)


@dataclass
class Bar:
    """`run_id` is a run whose step `a` has failed for good, so that a person is asked."""

    plan: Plan = PLAN
    pen: FakePen = field(default_factory=FakePen)
    users: frozenset[str] = frozenset({"U0000000A", "U0000000B"})
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.stage = Stage()
        self.store, self.clock = self.stage.store, self.stage.clock
        self.runner = ImmediateRunner(Script({"a": fail(Kind.DENIED)}))
        outside = replace(self.stage.outside, owner="first", runner=self.runner)
        self.executor = Executor(outside, self.stage.plans, parallel=4, on_idle=lambda: None)
        self.inputs = OpenInputs(self.store, self.stage.plans, lambda p, r, s: step_inputs(outside, p, r, s))
        job = make_job(self.plan, "0 10 * * *")
        self.commands = StoreCommands(
            self.store, self.store, self.stage.plans, self.clock, lambda: {job.id: job}, self.drive, zone_data="2026a"
        )
        self.notices: list[Notice] = []
        self.people = People(lambda: self.users, lambda: self.groups, self.pen.members, self.clock.boot)
        self.desk = self.open_desk()
        self.run_id = self._begin()

    def open_desk(self) -> PressDesk:
        counter = Counter(self.commands, self.store, self.store.alerts, self.inputs, self.clock)
        return PressDesk(counter, self.people, lambda: self.pen, self.notices.append)

    def _begin(self) -> str:
        self.stage.plans.keep(self.plan)
        run = make_run(self.plan, self.clock.now())
        self.executor.begin(run, self.plan)
        self.executor.wait(run.id, 10)
        return run.id

    @property
    def run(self) -> Run:
        return self.store.load(self.run_id)

    @property
    def question(self) -> str:
        return next(row.id for row in self.store.escalations(include_closed=True))

    def drive(self) -> None:
        if "run_id" in self.__dict__:
            self.executor.drive(self.run_id)

    def settle(self) -> None:
        """Until the run has heard everything that people want."""
        while self.store.messages(self.run_id) and not self.run.state.ended:
            self.executor.drive(self.run_id)
            self.executor.wait(self.run_id, 10)

    def press(self, option: str, user: str = "U0000000A", name: str = "ada", **mark: str) -> Json:
        return payload(option, user, name, self.mark(**mark))

    def mark(self, **values: str) -> Mark:
        row = next(row for row in self.store.escalations(include_closed=True))
        alert = "alert-1"
        if asked := self.run.escalations.get(row.id):
            alert = raised([], of_question(self.run, asked, Subject("daily")), Manners().window).id
        return replace(Mark(self.run_id, row.id, row.digest, row.job, alert), **values)


def payload(option: str, user: str, name: str, mark: Mark) -> Json:
    return {
        "type": "block_actions",
        "user": {"id": user, "username": name},
        "channel": {"id": "C0123456789"},
        "message": {"ts": "1.000100"},
        "trigger_id": "trigger-1",
        "actions": [{"action_id": PREFIX + option, "value": packed(mark)}],
    }


def submission(view: Mapping[str, Any], user: str, name: str, values: Mapping[str, str | None]) -> Json:
    state = {field: {"value": {"type": "plain_text_input", "value": text}} for field, text in values.items()}
    return {
        "type": "view_submission",
        "user": {"id": user, "username": name},
        "view": {**view, "state": {"values": state}},
    }
