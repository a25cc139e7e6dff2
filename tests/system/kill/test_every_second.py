"""A job that is due every second, and daemons that are frozen and killed: exactly one run for every instant.

One minute for all of it, at the same time: `python -m benchmarks.every_second` is the same for as long as one likes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.kill.every_second import DOWN_SECONDS, FROZEN_SECONDS, Fleet
from tests.system.kill.stand import Stand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
WARM_SECONDS = 4.0


def test_every_second_has_one_run_whatever_is_frozen_or_killed(tmp_path: Path, new_database: Callable[[], str]) -> None:
    """Vector 12 and, with processes, vector 6."""
    pair = Fleet(Stand(tmp_path / "pair"), 2)
    three = Fleet(Stand(tmp_path / "three", new_database()), 3)
    single = Fleet(Stand(tmp_path / "single"), 1, followed=True)
    fleets = (pair, three, single)
    try:
        for fleet in fleets:
            fleet.start()
        time.sleep(WARM_SECONDS)
        pair.freeze()
        three.freeze()
        single.kill()
        time.sleep(DOWN_SECONDS)
        single.add()
        single.until_serving(2)
        time.sleep(FROZEN_SECONDS - 2 * DOWN_SECONDS)
        single.freeze()
        time.sleep(DOWN_SECONDS)
        pair.until_serving(2)
        three.until_serving(2)
        for fleet in fleets:
            fleet.wake()
        time.sleep(2 * WARM_SECONDS)
        assert [fleet.stand.takeovers for fleet in (pair, three)] == [2, 2]
    finally:
        for fleet in fleets:
            fleet.end()
    assert {fleet.stand.folder.name: list(fleet.violations()) for fleet in fleets} == {
        "pair": [],
        "three": [],
        "single": [],
    }
    assert all(fleet.instants > FROZEN_SECONDS + 2 * WARM_SECONDS for fleet in fleets)
