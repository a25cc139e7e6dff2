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
    traces = [simulate(seed, chained).trace for seed in range(70, 115)]
    told = [(run, what) for trace in traces for _, _, run, what in trace if job_of(run) == "then"]
    ends = {what.state.value for _, what in told if isinstance(what, RunEnded)}
    assert {"succeeded", "degraded", "failed"} <= ends


def test_a_history_says_how_to_see_it_again() -> None:
    assert "simulate(7)" in simulate(7).verdict()


OLDER = replace(DEFAULT, follows=0.0, overlap=0.0, restore=0.0)
"""The faults that there were when these histories were found."""


@pytest.mark.parametrize("seed", [5075, 5080, 7227, 21218, 30059, 253182])
def test_a_history_that_once_broke_an_invariant_no_longer_does(seed: int) -> None:
    """7227 and 21218: a sending was frozen, before and after its launch, while the wall clock was set back an hour."""
    assert simulate(seed, OLDER).violations == ()


@pytest.mark.parametrize("seed", [178])
def test_a_run_that_came_to_nothing_does_not_void_what_another_one_is_sending(seed: int) -> None:
    """Two runs with one effect key were in doubt about each other, and one of them voided the other's intent."""
    assert simulate(seed, replace(OLDER, overlap=1.0)).violations == ()


@pytest.mark.parametrize("seed", [388, 779])
def test_an_intent_is_told_from_another_runs_after_the_store_was_put_back(seed: int) -> None:
    """The backup held an earlier run's attempt of the same number, that had come to nothing."""
    assert simulate(seed, replace(OLDER, restore=1.0)).violations == ()


def test_a_store_that_is_put_back_is_remembered_to() -> None:
    said = [what for seed in range(25) for *_, what in simulate(seed, replace(DEFAULT, restore=1.0)).trace]
    assert any(str(what).startswith("store_is_older") for what in said)
