"""Whole lives of the daemon in virtual time: every invariant that applies holds on every one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.domain.birth import job_of
from daemon.domain.events import RunEnded
from daemon.testing.faults import DEFAULT, NONE
from daemon.testing.simulator import failing, simulate


def hold(first: int, last: int) -> None:
    broken = failing(range(first, last))
    assert broken is None, broken.verdict()


FIRST = [pytest.param(0), *(pytest.param(first, marks=pytest.mark.slow) for first in range(100, 500, 100))]
"""A hundred with every commit, five hundred in CI, five thousand with the slow ones."""


@pytest.mark.parametrize("first", FIRST)
def test_every_invariant_holds_on_a_hundred_histories(first: int) -> None:
    hold(first, first + 100)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(500, 5500, 500))
def test_every_invariant_holds_on_five_hundred_more_histories(first: int) -> None:
    hold(first, first + 500)


def test_a_history_without_faults_waits_for_people_alone() -> None:
    for seed in range(20):
        history = simulate(seed, NONE)
        assert not history.violations
        assert set(history.ends) <= {"succeeded", "degraded", "failed"}


def test_the_same_seed_gives_the_same_history() -> None:
    assert str(simulate(7)) == str(simulate(7))


def test_the_histories_are_not_all_alike() -> None:
    ends = sum((simulate(seed, DEFAULT).ends for seed in range(60)), start=simulate(60).ends)
    assert {"succeeded", "degraded", "failed", "cancelled"} <= set(ends)


def test_some_histories_have_a_job_that_follows_and_its_runs_come_to_every_end() -> None:
    chained = replace(DEFAULT, follows=1.0)
    traces = [simulate(seed, chained).trace for seed in range(30)]
    told = [(run, what) for trace in traces for _, _, run, what in trace if job_of(run) == "then"]
    ends = {what.state.value for _, what in told if isinstance(what, RunEnded)}
    assert {"succeeded", "degraded", "failed"} <= ends


def test_a_history_says_how_to_see_it_again() -> None:
    assert "simulate(7)" in simulate(7).verdict()


@pytest.mark.parametrize("seed", [5075, 5080, 7227, 21218, 30059, 253182])
def test_a_history_that_once_broke_an_invariant_no_longer_does(seed: int) -> None:
    """7227 and 21218: a sending was frozen, before and after its launch, while the wall clock was set back an hour."""
    assert simulate(seed).violations == ()
