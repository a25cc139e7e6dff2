"""The simulation can fail: every planted bug is found within two hundred histories."""

from __future__ import annotations

import pytest

from daemon.testing.simulator import failing
from tests.unit.planted import PLANTED

SEEDS = range(200)


@pytest.mark.parametrize("name", PLANTED)
def test_the_simulation_finds(name: str) -> None:
    seams, faults = PLANTED[name]
    found = failing(SEEDS, faults, seams)
    assert found is not None, f"nothing was noticed although {name}"
