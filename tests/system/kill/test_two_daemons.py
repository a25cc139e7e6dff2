"""Two daemons over one store: one serves, the other stands by, whatever becomes of the first."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.domain.model import RunState
from daemon.runtime.loop import LEASE_SECONDS
from tests.system.kill.stand import Stand, shop_of_steps

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STANDS_BY = "another daemon holds the lease; standing by"
SERVES = "holds the lease and serves"


class Pair:
    """A stand and the processes over it; whatever is left at the end is killed by its id."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, strike: str = "never", mode: str = "serve") -> subprocess.Popen[str]:
        self.processes.append(self.stand.start(mode, strike))
        return self.processes[-1]

    def until(self, holds: Callable[[], bool], seconds: float = 60.0) -> float:
        """Seconds until it held."""
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < seconds, self.stand.log
            time.sleep(0.05)
        return time.monotonic() - began

    def says(self, words: str, times: int = 1) -> None:
        self.until(lambda: self.stand.log.count(words) >= times)

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


def pair_on(folder: Path, store: str, seconds: float) -> Pair:
    stand = Stand(folder, store).set_up(shop_of_steps(folder, cron="0 0 * * *", seconds=seconds))
    stand.owe(datetime.now(UTC) - timedelta(days=1))
    return Pair(stand)


@pytest.fixture(params=["sqlite", "postgresql"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    store = request.getfixturevalue("new_database")() if request.param == "postgresql" else ""
    pair = pair_on(tmp_path, store, seconds=0.5)
    yield pair
    pair.end()


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Iterator[Callable[[float], Pair]]:
    """A pair whose steps take so many seconds."""
    made: list[Pair] = []

    def make(seconds: float) -> Pair:
        made.append(pair_on(tmp_path, "", seconds))
        return made[-1]

    yield make
    for pair in made:
        pair.end()


def all_is_well(pair: Pair) -> None:
    assert [run.state for run in pair.stand.runs()] == [RunState.SUCCEEDED]
    assert list(pair.stand.arrivals().values()) == [1]
    assert len(pair.stand.ledger()) == 1


def test_the_second_stands_by_says_so_and_takes_over_when_the_first_is_killed(pair: Pair) -> None:
    """CB-014."""
    first = pair.start("launch:2")
    pair.says(SERVES)
    second = pair.start()
    assert first.wait(60) == -signal.SIGKILL
    pair.says(SERVES, 2)
    pair.until(pair.stand.all_ended)
    second.terminate()
    assert second.wait(60) == 0
    all_is_well(pair)


@pytest.mark.parametrize("point", ["stop-touch:9", "stop-launch:4", "stop-outcome:4"])
def test_a_frozen_daemon_that_comes_back_commits_nothing_and_sends_nothing(pair: Pair, point: str) -> None:
    first = pair.start(point)
    pair.stand.wait_frozen(first)
    second = pair.start()
    pair.says(STANDS_BY)
    assert pair.stand.log.count(SERVES) == 1
    waited = pair.until(lambda: pair.stand.log.count(SERVES) == 2)
    assert waited <= LEASE_SECONDS + 15.0
    pair.until(pair.stand.all_ended)
    before = pair.stand.runs()
    os.kill(first.pid, signal.SIGCONT)
    pair.says(STANDS_BY, 2)
    assert pair.stand.runs() == before
    for process in (first, second):
        process.terminate()
        assert process.wait(60) == 0
    all_is_well(pair)


def test_whoever_starts_while_the_file_is_locked_stays_and_serves_once_it_is_free(
    on_sqlite: Callable[[float], Pair],
) -> None:
    pair = on_sqlite(0.02)
    with closing(sqlite3.connect(pair.stand.folder / "state" / "clockwright.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        first = pair.start()
        pair.says("the database is locked by another process; it is tried again")
        assert first.poll() is None
        other.execute("ROLLBACK")
    pair.says(SERVES)
    pair.until(pair.stand.all_ended)
    first.terminate()
    assert first.wait(60) == 0
    assert pair.stand.log.count("is locked by another process") == 1
    all_is_well(pair)


def test_a_lease_that_a_killed_daemon_left_does_not_keep_the_next_one_waiting(
    on_sqlite: Callable[[float], Pair],
) -> None:
    """CB-014, the variant: on one machine it is known at once that the owner is dead."""
    pair = on_sqlite(0.0)
    assert pair.start("launch:1").wait(60) == -signal.SIGKILL
    last = pair.start()
    pair.says(SERVES, 2)
    assert STANDS_BY not in pair.stand.log
    pair.until(pair.stand.all_ended)
    last.terminate()
    assert last.wait(60) == 0
    all_is_well(pair)


def test_run_beside_a_live_daemon_follows_it_and_does_nothing_twice(on_sqlite: Callable[[float], Pair]) -> None:
    pair = on_sqlite(8.0)
    serving = pair.start()
    pair.says(SERVES)
    assert pair.start(mode="run").wait(60) == 0
    assert "a daemon is at work here" in pair.stand.log
    serving.terminate()
    assert serving.wait(60) == 0
    all_is_well(pair)
