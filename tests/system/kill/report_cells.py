"""Every moment at which the daily report is struck down: the named ones, and some that nobody named.

See `strike` for the words. Half of the cells kill the process; the other half freeze it and wake it once another one
has finished its work. In an order that a seed has shuffled, so that the first N are a fair sample.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

VISITS: Final = {"launch": 6, "outcome": 6, "settled": 6, "touch": 30}
"""How often each named point is visited by the six steps, rounded up: a strike that never comes changes nothing."""
UNNAMED: Final = 24


@dataclass(frozen=True)
class Cell:
    strike: str
    freezes: bool
    on_postgresql: bool

    @property
    def after(self) -> float | None:
        """Seconds until it is struck from outside; None where it strikes itself."""
        return float(self.strike.removeprefix("any:")) if self.strike.startswith("any:") else None


def _cells() -> list[Cell]:
    dice = random.Random(20)
    named = [f"{point}:{number}" for point, last in VISITS.items() for number in range(1, last + 1)]
    unnamed = [f"any:{dice.uniform(0.3, 4.0):.6f}" for _ in range(UNNAMED)]
    made = [
        Cell(strike, freezes, on) for strike in named + unnamed for freezes in (False, True) for on in (False, True)
    ]
    dice.shuffle(made)
    return made


CELLS: Final = _cells()
