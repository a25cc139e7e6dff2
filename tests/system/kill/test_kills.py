"""Real processes, killed at named points and at moments that nobody named: nothing lost, nothing twice."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.domain.model import RunState
from tests.system.kill.soak import histories
from tests.system.kill.stand import Stand, shop_of_steps

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def hold(kills: int, first: int, folder: Path, database: Callable[[], str] = str) -> None:
    verdicts = list(histories(kills, first, folder, database))
    broken = [str(verdict) for verdict in verdicts if verdict.violations]
    assert not broken, "\n".join(broken)
    assert sum(verdict.kills for verdict in verdicts) >= kills


@pytest.mark.parametrize("first", [100, 200])
def test_ten_kills_on_sqlite_lose_nothing_and_double_nothing(first: int, tmp_path: Path) -> None:
    hold(10, first, tmp_path)


def test_six_kills_on_postgresql_lose_nothing_and_double_nothing(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    hold(6, 300, tmp_path, new_database)


KILL_POINTS = {"before the post": "launch:4", "after the answer, before the checkpoint": "outcome:4"}


@pytest.mark.parametrize("point", KILL_POINTS.values(), ids=KILL_POINTS.keys())
def test_a_daemon_killed_around_the_post_posts_once(point: str, tmp_path: Path) -> None:
    """CB-061."""
    stand = Stand(tmp_path).set_up(shop_of_steps(tmp_path))
    assert stand.start(strike=point).wait(60) == -signal.SIGKILL
    before = stand.counted()
    assert stand.start().wait(60) == 0, stand.log
    assert list(stand.arrivals().values()) == [1]
    assert stand.counted() == before
    assert [run.state for run in stand.runs()] == [RunState.SUCCEEDED]
