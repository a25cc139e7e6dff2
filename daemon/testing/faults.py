"""How much goes wrong in a simulated history."""

from __future__ import annotations

from dataclasses import dataclass, fields
from random import Random


@dataclass(frozen=True, slots=True)
class Faults:
    """Probabilities: `tool` for an attempt, `crash`, `freeze` and `outage` for a transaction, the others for a history.

    `tool` covers every kind of failure and the tool that takes the daemon down; `nonsense` is for a decision;
    `people` for an answer that is wrong, late, double or for another run.
    """

    tool: float = 0.35
    crash: float = 0.02
    kill: float = 0.4
    freeze: float = 0.01
    outage: float = 0.005
    clock: float = 0.3
    receiver: float = 0.4
    nonsense: float = 0.4
    people: float = 0.3
    cancel: float = 0.15
    again: float = 0.3
    """That a person has an ended run made once more."""
    follows: float = 0.25
    """That there is another job, which follows the first."""
    overlap: float = 0.1
    """That a run is made once more while it is still at work."""
    restore: float = 0.1
    """That the store is put back from a backup which knows nothing of what was meant since."""


NONE = Faults(**{field.name: 0.0 for field in fields(Faults)})
DEFAULT = Faults()


class Dice:
    """All chance of one history, from its seed alone."""

    def __init__(self, seed: int | str) -> None:
        self._random = Random(seed)  # noqa: S311  # chance that replays, no secret
        self.pick = self._random.choice
        self.between = self._random.uniform
        self.whole = self._random.randint

    def happens(self, probability: float) -> bool:
        return probability > 0 and self._random.random() < probability
