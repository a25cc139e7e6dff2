"""How long a step waits before its next try."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.backoff import delay
from daemon.domain.defaults import Retry
from daemon.domain.errors import Kind
from daemon.domain.model import Failed, StepRun

RETRY = Retry(attempts=10, first=timedelta(seconds=2), cap=timedelta(seconds=60))


def waits(tries: int, *, after: float | None = None, run: str = "r", started: int | None = None) -> float:
    step = StepRun("s", tries=tries, started=tries if started is None else started)
    return delay(run, RETRY, step, Failed(Kind.TRANSIENT, "m", retry_after=after)).total_seconds()


@pytest.mark.parametrize(("tries", "most"), [(0, 2), (1, 2), (2, 4), (3, 8), (5, 32), (6, 60), (7, 60), (500, 60)])
def test_it_doubles_up_to_the_cap_less_a_fifth_of_jitter(tries: int, most: float) -> None:
    assert most * 0.8 <= waits(tries) <= most


def test_what_the_other_side_asks_for_is_obeyed_beyond_the_cap() -> None:
    assert waits(1, after=300.0) == 300.0


def test_a_shorter_wish_does_not_shorten_our_own_wait() -> None:
    assert waits(5, after=1.0) > 20


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), -5.0, 1e300, 0.0])
def test_nonsense_from_the_other_side_never_breaks_the_wait(nonsense: float) -> None:
    assert 0 < waits(1, after=nonsense) <= timedelta(days=365).total_seconds()


def test_a_replay_waits_as_long_and_another_run_does_not() -> None:
    assert waits(3) == waits(3)
    assert len({waits(3, run=f"r{n}") for n in range(20)}) > 15


@given(st.integers(0, 10_000), st.floats(allow_nan=True, allow_infinity=True))
def test_every_wait_is_positive_and_bounded(tries: int, after: float) -> None:
    assert 0 < waits(tries, after=after) <= timedelta(days=365).total_seconds()
