"""The alarm clock over the real APScheduler: it ends a sleep in time, and is wound again where its thread has died."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from apscheduler.schedulers.base import STATE_RUNNING, STATE_STOPPED

from daemon.adapters.alarm import Alarm

pytestmark = pytest.mark.slow


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    made = Alarm(sweep_seconds=5.0)
    yield made
    made.stop()


def slept(alarm: Alarm, until: datetime) -> float:
    began = time.monotonic()
    alarm.wait(until)
    return time.monotonic() - began


def soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def test_apscheduler_ends_the_sleep_when_something_is_due(alarm: Alarm) -> None:
    assert 0.1 < slept(alarm, soon(0.3)) < 3.0


def test_an_instant_that_has_passed_is_no_sleep(alarm: Alarm) -> None:
    assert slept(alarm, soon(-60)) < 3.0


def test_a_ring_from_another_thread_ends_the_sleep(alarm: Alarm) -> None:
    threading.Timer(0.1, alarm.ring).start()
    assert slept(alarm, soon(600)) < 3.0


def test_without_anything_due_the_sweep_ends_the_sleep() -> None:
    alarm = Alarm(sweep_seconds=0.2)
    assert slept(alarm, soon(600)) < 3.0
    alarm.stop()


def test_a_clock_whose_thread_has_died_is_noticed_and_wound_again() -> None:
    alarm = Alarm(sweep_seconds=0.2)
    # As in the fault that is known of it: the thread is gone, and the scheduler says that it runs.
    scheduler = alarm._scheduler
    scheduler.state = STATE_STOPPED
    scheduler.wakeup()
    scheduler._thread.join(5)
    scheduler.state = STATE_RUNNING

    for _ in range(3):
        alarm.wait(soon(600))
    assert alarm.rewound == 1
    assert slept(alarm, soon(600)) < 3.0
    alarm.stop()
