"""Runs carried by threads: begun, driven, drained, killed, lost and found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.domain.errors import Kind
from daemon.domain.model import Purpose, RunState, StepState
from daemon.domain.plan import Exhausted, Plan, Step
from daemon.ports import Message, MessageKind, StoreUnavailable
from daemon.runtime.executor import Executor
from daemon.testing.immediate_runner import ImmediateRunner
from daemon.testing.plays import Play, Script, fail, hang
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan, make_run

WAIT = 10.0
TWO = make_plan([Step("a", "look"), Step("b", "send", inputs={"to": "#a"}, needs=("a",))])
ONE = make_plan([Step("a", "look")])


class Threads:
    """A stage whose runs are carried by the real executor."""

    def __init__(self, script: Script) -> None:
        self.stage = Stage()
        self.store, self.sink = self.stage.store, self.stage.sink
        self.runner = ImmediateRunner(script)
        self.idle = 0
        self.executor = self.start("first")

    def start(self, owner: str, parallel: int = 4) -> Executor:
        outside = replace(self.stage.outside, owner=owner, runner=self.runner)
        return Executor(outside, self.stage.plans, parallel=parallel, on_idle=self._idle)

    def begin(self, plan: Plan) -> str:
        self.stage.plans.keep(plan)
        run = make_run(plan, self.stage.clock.now())
        assert self.executor.begin(run, plan)
        return run.id

    def ends(self, run_id: str) -> RunState:
        assert self.executor.wait(run_id, WAIT)
        return self.store.load(run_id).state

    def _idle(self) -> None:
        self.idle += 1


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads(Script())
    yield made
    made.executor.kill()


def with_script(threads: Threads, a: Play) -> None:
    threads.runner = ImmediateRunner(Script({"a": a}))
    threads.executor = threads.start("first")


def test_a_run_is_carried_to_its_end_and_says_that_it_left(threads: Threads) -> None:
    assert threads.ends(threads.begin(TWO)) is RunState.SUCCEEDED
    assert threads.idle == 1
    assert threads.executor.free == 4


def test_a_run_that_only_waits_has_no_thread_and_goes_on_when_it_is_driven(threads: Threads) -> None:
    with_script(threads, a=fail(Kind.TRANSIENT))
    run_id = threads.begin(ONE)
    assert threads.ends(run_id) is RunState.WAITING
    epoch = threads.store.load(run_id).epoch
    threads.stage.clock.advance(10)
    assert threads.executor.drive(run_id)
    assert threads.ends(run_id) is RunState.WAITING
    run = threads.store.load(run_id)
    assert (run.steps["a"].tries, run.epoch) == (2, epoch)


def test_there_is_no_room_for_more_than_its_number_of_runs(threads: Threads) -> None:
    with_script(threads, a=hang())
    threads.executor = threads.start("first", parallel=1)
    threads.begin(ONE)
    other = make_plan([Step("a", "look")], job="other")
    assert not threads.executor.begin(make_run(other, threads.stage.clock.now()), other)
    assert threads.executor.free == 0


def test_a_message_reaches_a_run_that_is_carried(threads: Threads) -> None:
    with_script(threads, a=hang())
    run_id = threads.begin(ONE)
    assert threads.runner.holding.wait(WAIT)
    threads.store.post(Message(run_id, MessageKind.CANCEL, "ada", threads.stage.clock.now()))
    assert threads.executor.drive(run_id)
    assert threads.ends(run_id) is RunState.CANCELLED


def test_a_drain_lets_nothing_new_begin_and_stops_what_hangs(threads: Threads) -> None:
    with_script(threads, a=hang())
    run_id = threads.begin(TWO)
    assert threads.runner.holding.wait(WAIT)
    threads.executor.drain(0.0)
    step = threads.store.load(run_id).steps["a"]
    assert (step.state, step.attempt, step.crashes) == (StepState.RUNNING, None, 0)
    assert step.failure is not None
    assert step.failure.kind is Kind.INTERRUPTED
    assert not threads.executor.drive(run_id)


def test_a_run_that_was_drained_goes_on_at_the_next_start(threads: Threads) -> None:
    with_script(threads, a=hang())
    run_id = threads.begin(TWO)
    assert threads.runner.holding.wait(WAIT)
    threads.executor.kill()
    threads.runner = ImmediateRunner()
    threads.executor = threads.start("second")
    assert threads.executor.drive(run_id)
    assert threads.ends(run_id) is RunState.SUCCEEDED
    assert len(threads.runner.receiver.parcels) == 1


def test_an_executor_takes_runs_again_once_its_lease_is_back(threads: Threads) -> None:
    threads.executor.kill()
    assert threads.executor.free == 0
    threads.executor.reopen()
    assert threads.ends(threads.begin(ONE)) is RunState.SUCCEEDED


@pytest.mark.parametrize("durable", [False, True])
def test_a_store_that_fails_once_loses_the_run_and_finds_it_again(threads: Threads, durable: bool) -> None:
    failed: list[str] = []

    def fail_once(name: str) -> None:
        if name == "commit" and not failed:
            failed.append(name)
            raise StoreUnavailable("the disk is full")

    threads.store.before_commit, threads.store.after_commit = (
        (threads.store.before_commit, fail_once) if durable else (fail_once, threads.store.after_commit)
    )
    run_id = threads.begin(TWO)
    assert threads.ends(run_id) is RunState.RUNNING
    assert threads.sink.topics() == ["store_trouble"]
    assert threads.executor.lost == frozenset()
    threads.stage.clock.advance(2)
    assert threads.executor.lost == {run_id}
    threads.executor.drive(run_id)
    assert threads.ends(run_id) in {RunState.SUCCEEDED, RunState.WAITING}
    assert threads.executor.lost == frozenset()


def test_a_defect_is_told_and_costs_only_its_own_run(threads: Threads) -> None:
    def broken(name: str) -> None:
        if name == "commit":
            raise ZeroDivisionError("a defect of ours")

    threads.store.before_commit = broken
    run_id = threads.begin(TWO)
    assert threads.ends(run_id) is RunState.RUNNING
    assert threads.sink.topics() == ["run_defect"]
    threads.store.before_commit = lambda name: None  # noqa: ARG005  # the hook's shape
    assert threads.ends(threads.begin(make_plan([Step("x", "look")], job="other"))) is RunState.SUCCEEDED
    threads.stage.clock.advance(31)
    assert threads.executor.lost == {run_id}


def test_a_parked_run_that_another_has_claimed_is_left_alone(threads: Threads) -> None:
    with_script(threads, a=fail(Kind.TRANSIENT))
    run_id = threads.begin(ONE)
    assert threads.ends(run_id) is RunState.WAITING
    theirs = threads.store.claim(run_id, "second")
    threads.stage.clock.advance(10)
    threads.executor.drive(run_id)
    threads.ends(run_id)
    assert threads.store.load(run_id) == theirs
    assert threads.sink.topics() == ["run_taken_over"]


def test_a_claim_after_the_lease_has_passed_on_is_refused(threads: Threads) -> None:
    outside = replace(threads.stage.outside, runner=threads.runner)
    outside.fence.epoch = threads.store.lead("first", 15.0) or 0
    run_id = threads.begin(make_plan([Step("a", "look", approve=True)]))
    threads.ends(run_id)
    threads.stage.clock.advance(60)
    threads.store.lead("second", 15.0)
    another = Executor(outside, threads.stage.plans, parallel=1, on_idle=threads._idle)
    another.drive(run_id)
    assert another.wait(run_id, WAIT)
    assert "lease" in threads.sink.notices[-1].message


def test_what_another_owner_left_in_flight_counts_as_a_crash(threads: Threads) -> None:
    with_script(threads, a=hang())
    run_id = threads.begin(make_plan([Step("a", "look", on_exhausted=Exhausted.FAIL)]))
    assert threads.runner.holding.wait(WAIT)
    second = threads.start("second")
    second.drive(run_id)
    while not threads.store.load(run_id).steps["a"].crashes:
        assert not second.wait(run_id, 0.01)
    step = threads.store.load(run_id).steps["a"]
    assert (step.crashes, step.tries) == (1, 0)
    assert step.attempt is not None
    assert step.attempt.purpose is Purpose.RUN
    second.kill()
