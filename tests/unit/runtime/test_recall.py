"""A store that was put back under the daemon is compared with the journal, whoever noticed first."""

from __future__ import annotations

from dataclasses import replace

from daemon.domain.digests import effect_key
from daemon.domain.plan import Step
from daemon.ports import EffectState, StoreUnavailable
from daemon.runtime.duty import Service
from daemon.runtime.scheduler import Scheduler
from daemon.testing.inline_executor import InlineExecutor
from daemon.testing.memory_journal import MemoryJournal
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_plan

STEP = Step("post", "send", inputs={"to": "#a"})
PLAN = make_plan([STEP])


def test_a_store_that_only_a_run_saw_replaced_is_reminded_of_what_was_meant_before_the_run_goes_on() -> None:
    stage = Stage()
    stage.outside = replace(stage.outside, journal=MemoryJournal())
    stage.executor = InlineExecutor(stage.outside, stage.plans, stage.clock)
    service = Service(
        stage.outside, stage.executor, Scheduler(stage.outside, stage.plans, stage.executor, {}, ZONE_DATA)
    )
    service.take_over()
    before = stage.store.backup()
    run = stage.store.load(stage.begin(PLAN))

    def replaced(name: str) -> None:
        stage.store.before_commit = lambda _: None
        stage.store.restore(before)
        raise StoreUnavailable(f"{name}: the file was replaced")

    stage.store.before_commit = replaced
    stage.clock.advance(1.0)
    assert stage.store.effect(effect_key(PLAN, run, STEP, {"to": "#a"})) is None

    service.tick()
    known = stage.store.effect(effect_key(PLAN, run, STEP, {"to": "#a"}))
    assert known is not None
    assert known.state is EffectState.INTENT
    assert "store_is_older" in stage.sink.topics()
