"""Faults that people reported about asking a person, and about messages around a crash: each with its whole kind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from daemon.domain.defaults import Limits
from daemon.domain.errors import Kind
from daemon.domain.manners import Manners
from daemon.domain.model import Failed, Run, RunState
from daemon.domain.plan import Step
from daemon.domain.presses import Mark
from daemon.ports import EscalationRow, Message, MessageKind
from daemon.runtime.commands import StoreCommands
from daemon.runtime.open_inputs import OpenInputs
from daemon.runtime.press_desk import Counter, People, PressDesk
from daemon.testing.plays import Script, fail
from daemon.testing.stage import Stage
from daemon.testing.tools import make_job, make_plan
from tests.unit.runtime.counter import payload
from tests.unit.runtime.newsroom import Newsroom

HOUR = 3600
ADA, BOB = "U0000000A", "U0000000B"
PLAN = make_plan([Step("a", "look", title="Look")], limits=Limits(answer_within=timedelta(seconds=HOUR)))


class Case:
    """CB-071: a run asks, its question expires after 3600 s and is brought to mind at 1800 s."""

    def __init__(self) -> None:
        self.stage = Stage(Script({"a": fail(Kind.DENIED)}))
        self.room = Newsroom(Manners(channel="#ops"), store=self.stage.store, clock=self.stage.clock)
        self.run_id = self.stage.begin(PLAN)
        self.stage.play(self.run_id, 1)
        self.begun = self.stage.clock.now()
        job = make_job(PLAN)
        store, clock = self.stage.store, self.stage.clock
        commands = StoreCommands(store, store, self.stage.plans, clock, lambda: {job.id: job}, lambda: None, "2026a")
        inputs = OpenInputs(store, self.stage.plans, lambda _plan, _run, _step: {})
        people = People(lambda: frozenset({ADA, BOB}), tuple, lambda _group: frozenset(), clock.boot)
        counter = Counter(commands, store, store.alerts, inputs, clock)
        self.desk = PressDesk(counter, people, lambda: self.room.pen, self.room.notices.append)

    def until(self, seconds: float) -> None:
        """Let time pass, with the daemon and its alerts at work, until that long after the question."""
        while (left := seconds - (self.stage.clock.now() - self.begun).total_seconds()) > 0:
            self.work()
            self.stage.clock.advance(min(left, 10.0))
        self.work()

    def work(self) -> None:
        for run_id in self.stage.store.due(self.stage.clock.now(), self.stage.outside.owner, 10):
            self.stage.executor.drive(run_id)
        self.room.turn()
        self.desk.follow()

    def press(self, option: str, user: str, run: str = "") -> None:
        asked = self.question
        sent = payload(option, user, user, Mark(run or self.run_id, asked.id, asked.digest))
        self.desk.take(sent)

    @property
    def question(self) -> EscalationRow:
        return self.stage.store.escalations(include_closed=True)[0]

    @property
    def run(self) -> Run:
        return self.stage.store.load(self.run_id)

    @property
    def reminders(self) -> int:
        return sum(head.startswith("still: ") for head in self.room.headlines)


@pytest.fixture
def case() -> Case:
    return Case()


def no_answer(case: Case) -> None:
    case.until(HOUR + 10)
    assert case.run.state is RunState.FAILED
    assert (case.question.option, case.question.closed_by) == ("abort", "expiry")
    assert case.reminders == 1
    [(_, edited)] = case.room.pen.edits
    assert edited.headline.startswith("nobody answered in time: abort")


def a_late_answer(case: Case) -> None:
    case.until(HOUR + 1)
    case.press("retry", ADA)
    case.work()
    [(user, text)] = case.room.pen.whispers
    assert user == ADA
    assert "nobody answered in time: abort" in text
    assert case.question.closed_by == "expiry"


def an_answer_in_the_very_second_of_the_expiry(case: Case) -> None:
    case.until(HOUR - 1)
    case.stage.clock.advance(1)
    case.press("retry", ADA)
    case.work()
    [(_, text)] = case.room.pen.whispers
    assert text.startswith("Too late: the question expired")


def two_people_answer_differently(case: Case) -> None:
    case.until(100)
    case.press("skip", ADA)
    case.stage.clock.advance(1)
    case.press("abort", BOB)
    case.work()
    assert (case.question.option, case.question.closed_by) == ("skip", ADA)
    [(user, text)] = case.room.pen.whispers
    assert user == BOB
    assert text.startswith(f"Already decided: skip, by {ADA} at ")


def an_answer_for_another_run(case: Case) -> None:
    case.until(100)
    case.press("abort", ADA, run="report-another")
    case.stage.store.post(
        Message(case.run_id, MessageKind.ANSWER, "ada", case.stage.clock.now(), {"escalation": "x", "option": "abort"})
    )
    case.work()
    assert case.run.escalations
    assert case.question.closed_at is None


def a_restart(case: Case) -> None:
    case.until(1200)
    case.stage.restart()
    case.room.start()
    case.until(HOUR - 1)
    assert case.question.closed_at is None
    assert len([letter for letter in case.room.slack.letters if not letter.thread]) == 1
    case.until(HOUR + 1)
    assert case.question.closed_by == "expiry"
    assert case.reminders == 1


def the_next_run_is_not_blocked(case: Case) -> None:
    assert case.run_id not in case.stage.executor.carried
    other = make_plan([Step("b", "look")], job="other")
    assert case.stage.run(other).state is RunState.SUCCEEDED


EVENTS: list[Callable[[Case], None]] = [
    no_answer,
    a_late_answer,
    an_answer_in_the_very_second_of_the_expiry,
    two_people_answer_differently,
    an_answer_for_another_run,
    a_restart,
    the_next_run_is_not_blocked,
]


@pytest.mark.parametrize("event", EVENTS, ids=[f"CB-071 {event.__name__}" for event in EVENTS])
def test_a_question_that_nobody_or_somebody_answers(case: Case, event: Callable[[Case], None]) -> None:
    event(case)


class Killed(Exception):
    """SIGKILL."""


class Blow:
    """Kills at the n-th write or send from now on; 0 never."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, 0

    def __call__(self, _: str = "") -> None:
        self.seen += 1
        if self.seen == self.at:
            raise Killed


@pytest.mark.parametrize("at", range(1, 13), ids=[f"CB-061 at point {at}" for at in range(1, 13)])
@pytest.mark.parametrize("lost", [False, True], ids=["answered", "answer lost"])
def test_an_alert_is_told_exactly_once_wherever_the_daemon_is_killed(at: int, *, lost: bool) -> None:
    """Before the post, after it, before what came of it is stored: every write and every send is a point."""
    room = Newsroom(second=None)
    room.run("daily", RunState.FAILED)
    blow = Blow(at)
    room.store.before_commit = room.store.after_commit = blow
    room.slack.before = blow
    room.slack.lost = lost
    for _ in range(20):
        try:
            room.live(60)
        except Killed:
            room.start()
    assert len(room.slack.letters) == 1
    assert room.slack.repeats == []
    assert [alert.told.posts for alert in room.alerts] == [1]


RETRY_AFTER = {"7": 30.0, "1": 30.0, "absent": 30.0, "7200": 900.0}
"""What Slack asks for, and how long an alert then waits: our own back-off at least, a quarter of an hour at most."""


@pytest.mark.parametrize("asked", RETRY_AFTER, ids=[f"CB-047 Retry-After {asked}" for asked in RETRY_AFTER])
def test_a_pause_that_slack_asks_for_is_obeyed_and_bounded(asked: str) -> None:
    room = Newsroom(second=None)
    room.run("daily", RunState.FAILED)
    pause = float(asked) if asked != "absent" else None
    room.slack.fault = Failed(Kind.TRANSIENT, "too many requests", retry_after=pause)
    room.turn()
    assert room.slack.calls == 1
    room.slack.fault = None
    room.live(RETRY_AFTER[asked] - 1)
    assert room.slack.calls == 1
    room.live(2)
    assert (room.slack.calls, len(room.slack.letters)) == (2, 1)
