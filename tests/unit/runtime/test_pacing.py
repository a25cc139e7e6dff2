"""A destination that takes one call a second: runs wait their turn as rows, in order, and nobody sleeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from daemon.domain.errors import Kind
from daemon.domain.events import Paced
from daemon.domain.model import RunState, StepState
from daemon.domain.plan import Plan, Step
from daemon.runtime.pacer import Pacer
from daemon.testing.plays import Script, fail
from daemon.testing.stage import Stage
from daemon.testing.tools import SEND, make_plan


def paced(channel: str = "#sales", job: str = "report") -> Plan:
    plan = make_plan([Step("post", "send", inputs={"to": channel})], job=job)
    return replace(plan, tools={**plan.tools, "send": replace(SEND, pace=timedelta(seconds=1))})


def to_the_end(stage: Stage, *runs: str) -> None:
    while not all(stage.store.load(run).state.ended for run in runs):
        for due in stage.store.due(stage.clock.now(), stage.outside.owner, 10):
            stage.executor.drive(due)
        stage.clock.advance(0.1)


def times(stage: Stage) -> list[float]:
    first = stage.runner.receiver.parcels[0].at
    return [round(parcel.at - first, 1) for parcel in stage.runner.receiver.parcels]


def test_runs_for_one_channel_go_a_second_apart_and_wait_as_rows() -> None:
    stage = Stage()
    runs = [stage.begin(paced(job=f"job{number}")) for number in range(4)]
    assert [stage.store.load(run).state for run in runs] == [RunState.RUNNING, *[RunState.WAITING] * 3]
    assert not stage.executor.carried - {runs[0]}, "whoever waits is in nobody's hands"
    to_the_end(stage, *runs)
    assert times(stage) == [0.0, 1.0, 2.0, 3.0]
    assert all(sum(isinstance(event, Paced) for event in stage.store.events(run)) <= 1 for run in runs)
    assert all(stage.store.load(run).steps["post"].tries == 0 for run in runs), "waiting is nobody's try"


def test_other_channels_do_not_wait() -> None:
    stage = Stage()
    to_the_end(stage, *(stage.begin(paced(f"#{number}", f"job{number}")) for number in range(4)))
    assert times(stage) == [0.0] * 4


def test_a_daemon_that_is_restarted_finds_who_waited() -> None:
    stage = Stage()
    runs = [stage.begin(paced(job=f"job{number}")) for number in range(3)]
    stage.clock.advance(0.5)
    stage.restart()
    to_the_end(stage, *runs)
    assert len(stage.runner.receiver.parcels) == 3
    assert all(stage.store.load(run).steps["post"].state is StepState.DONE for run in runs)


def test_what_a_channel_asks_of_one_run_holds_for_all() -> None:
    stage = Stage(Script({("post", 1): fail(Kind.TRANSIENT, "429", after=30.0)}))
    first = stage.begin(paced(job="first"))
    stage.clock.advance(0.5)
    stage.runner._script = Script()  # it works again, though nobody may try before it is time
    second = stage.begin(paced(job="second"))
    to_the_end(stage, first, second)
    assert stage.runner.receiver.parcels[0].at >= 30.0
    assert times(stage) == [0.0, 1.0]


def test_an_alert_waits_for_nobody_and_the_others_wait_for_it() -> None:
    pacer = Pacer()
    assert pacer.turn("here", "a", 1.0, 10.0) == 0.0
    pacer.took("here", 1.0, 10.2)
    assert pacer.turn("here", "b", 1.0, 10.4) == 12.0 - 10.4


def test_who_was_promised_a_turn_before_it_was_told_to_wait_is_promised_another() -> None:
    pacer = Pacer()
    assert [pacer.turn("here", who, 1.0, 0.0) for who in "abc"] == [0.0, 1.0, 2.0]
    pacer.hold("here", 60.0)
    assert [pacer.turn("here", who, 1.0, at) for who, at in (("b", 1.0), ("c", 2.0))] == [59.0, 59.0]
    assert pacer.turn("here", "b", 1.0, 60.0) == 0.0


def test_what_is_long_over_is_forgotten() -> None:
    pacer = Pacer()
    for number in range(3_000):
        pacer.turn(f"place {number}", "a", 1.0, float(number * 10))
        pacer.turn(f"place {number}", "b", 1.0, float(number * 10))
    assert len(pacer._free) + len(pacer._promised) < 1_100
