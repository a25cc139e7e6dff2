"""What people may ask for, from anywhere, and what the audit log says of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import pytest

from daemon.domain.deed import Actor
from daemon.domain.job import Job
from daemon.domain.model import RunState
from daemon.domain.pause import EVERYTHING
from daemon.domain.plan import Step
from daemon.ports import Birth, Change, Declined, MessageKind, Unknown
from daemon.runtime.commands import StoreCommands
from daemon.runtime.plans import Plans
from daemon.testing.fake_clock import FakeClock
from daemon.testing.memory_store import MemoryStore
from daemon.testing.tools import make_job, make_plan
from tests.builders import T0, a_change, a_question, a_run

ADA = Actor("ada", "page 127.0.0.1")
DAY = date(2026, 2, 27)


@dataclass
class Counter:
    cron: str | None = "0 10 * * *"
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: FakeClock = field(default_factory=lambda: FakeClock(T0))
    rings: int = 0

    @property
    def job(self) -> Job:
        return make_job(make_plan((Step("fetch", "look"),)), self.cron)

    @property
    def commands(self) -> StoreCommands:
        broken = replace(self.job, id="broken", broken="its tool is broken")
        jobs = {self.job.id: self.job, "broken": broken}
        return StoreCommands(
            self.store, self.store, Plans(self.store), self.clock, lambda: jobs, self.ring, zone_data="2026a"
        )

    def ring(self) -> None:
        self.rings += 1

    def end(self, run_id: str) -> None:
        run = self.store.load(run_id)
        ended = replace(run, version=run.version + 1, state=RunState.FAILED, ended_at=self.clock.now())
        self.store.commit(Change(run, ended, ()))

    @property
    def log(self) -> list[tuple[str, str, str]]:
        return [(deed.by, deed.verb, deed.run or deed.job) for deed in self.store.deeds()]


def test_days_that_are_asked_for_in_the_same_second_get_a_run_each() -> None:
    counter = Counter(cron=None)
    days = [DAY - timedelta(days=back) for back in range(3)]
    made = [counter.commands.request(ADA, "report", day).run for day in days]
    dry = counter.commands.request(ADA, "report", DAY, dry_run=True).run
    assert [run.data.day for run in made] == days
    assert len({run.id for run in (*made, dry)}) == 4
    assert [counter.commands.request(ADA, "report", day).run.id for day in days] == [run.id for run in made]


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.mark.parametrize("cron", ["0 10 * * *", None])
def test_the_same_key_gives_the_same_run_whatever_became_of_it(cron: str | None) -> None:
    counter = Counter(cron)
    first = counter.commands.request(ADA, counter.job.id, DAY, key="k")
    counter.end(first.run.id)
    counter.clock.advance(3600)
    again = counter.commands.request(ADA, counter.job.id, DAY, key="k")
    assert (first.new, again.new, again.run.id) == (True, False, first.run.id)
    assert counter.commands.request(ADA, counter.job.id, DAY, key="other").run.id != first.run.id


def test_a_key_of_another_job_is_declined(counter: Counter) -> None:
    counter.commands.request(ADA, counter.job.id, DAY, key="k")
    with pytest.raises(Declined, match="was used for"):
        counter.commands.request(ADA, "broken", DAY, key="k")


def test_two_with_one_key_that_meet_in_the_store_get_one_run(counter: Counter) -> None:
    """The other one stores its run after we looked for the key."""
    commands, other = counter.commands, Counter(store=counter.store, clock=counter.clock)
    other.clock = FakeClock(T0)

    def first(name: str) -> None:
        if name == "create":
            counter.store.before_commit = lambda _: None
            other.commands.request(ADA, counter.job.id, date(2026, 2, 20), key="k")

    counter.store.before_commit = first
    got = commands.request(ADA, counter.job.id, DAY, key="k")
    assert (got.new, got.run.data.day, len(counter.store.runs())) == (False, date(2026, 2, 20), 1)


def test_whoever_asks_again_joins_the_run_there_is(counter: Counter) -> None:
    first = counter.commands.request(ADA, counter.job.id, None)
    assert counter.commands.request(ADA, counter.job.id, None) == replace(first, new=False)
    assert counter.log == [("ada", "run", first.run.id)] * 2


@pytest.mark.parametrize(("job", "why"), [("broken", "cannot run: its tool is broken"), ("reprt", "there is no job")])
def test_a_job_that_cannot_run_is_declined(counter: Counter, job: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        counter.commands.request(ADA, job, DAY)
    assert counter.log == []


def test_a_run_is_cancelled_and_made_again(counter: Counter) -> None:
    run = counter.commands.request(ADA, counter.job.id, DAY).run
    counter.commands.cancel(ADA, run.id)
    assert [message.kind for message in counter.store.messages(run.id)] == [MessageKind.CANCEL]
    with pytest.raises(Declined, match="still goes on"):
        counter.commands.retry(ADA, run.id)
    counter.end(run.id)
    with pytest.raises(Declined, match="already ended"):
        counter.commands.cancel(ADA, run.id)
    assert counter.commands.retry(ADA, run.id).revision == 2
    assert [verb for _, verb, _ in counter.log] == ["retry", "cancel", "run"]


def test_pauses_are_noted_with_who_and_why(counter: Counter) -> None:
    counter.commands.pause(ADA, EVERYTHING, "the source is moved", None)
    assert [(pause.job, pause.by, pause.why) for pause in counter.store.pauses()] == [
        (EVERYTHING, "ada", "the source is moved")
    ]
    assert counter.commands.resume(ADA, EVERYTHING)
    assert [verb for _, verb, _ in counter.log] == ["resume", "pause"]
    with pytest.raises(Declined, match="has passed"):
        counter.commands.pause(ADA, EVERYTHING, "", T0)
    with pytest.raises(Unknown):
        counter.commands.pause(ADA, "nothing", "", None)


class TestAnswers:
    @pytest.fixture
    def asked(self, counter: Counter) -> Counter:
        run = a_run()
        question = a_question()
        counter.store.create([Birth(run)])
        from daemon.domain.events import Escalated

        counter.store.commit(a_change(run, Escalated(T0, question), escalations={question.id: question}))
        return counter

    def test_an_answer_is_left_for_the_driver(self, asked: Counter) -> None:
        asked.commands.answer(ADA, "ask-1", "skip", {}, digest="what-is-asked")
        [message] = asked.store.messages("run-1")
        assert (message.kind, message.by, message.body["option"]) == (MessageKind.ANSWER, "ada", "skip")
        assert (asked.log, asked.rings) == ([("ada", "answer", "run-1")], 1)

    @pytest.mark.parametrize(
        ("question", "option", "digest", "why"),
        [
            ("ask-2", "skip", "", "there is no question"),
            ("ask-1", "skp", "", "is not offered"),
            ("ask-1", "skip", "old", "has changed since"),
        ],
    )
    def test_what_cannot_be_answered_is_declined(
        self, asked: Counter, question: str, option: str, digest: str, why: str
    ) -> None:
        with pytest.raises(Declined, match=why):
            asked.commands.answer(ADA, question, option, {}, digest=digest)
        assert (asked.log, asked.store.messages("run-1")) == ([], [])
