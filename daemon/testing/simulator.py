"""Plays a whole life of the daemon in virtual time, from one number, and checks every invariant that applies.

    from daemon.testing.simulator import simulate
    print(simulate(42))

The domain, the drivers, the custody, the scheduler, the duty and the loop are the real ones; clock, store, tools,
receivers, deciders and people are scripted by the seed. The same seed always gives the same history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from .faults import DEFAULT, Faults
from .incarnation import Seams
from .witness import Hopeless
from .world import World

SEAMS = Seams()


@dataclass(frozen=True, slots=True)
class History:
    """What came of one seed. `ends` counts the runs by the state in which they ended."""

    seed: int
    violations: tuple[str, ...]
    ends: Counter[str]
    trace: tuple[tuple[float, str, str, object], ...]

    def __str__(self) -> str:
        lines = [f"{at:10.3f} {who:10} {run.rpartition('job.')[2]:20} {what}" for at, who, run, what in self.trace]
        return "\n".join([*lines, *self.violations, f"seed {self.seed}: {dict(self.ends)}"])

    def verdict(self) -> str:
        """For a failing test: what broke and how to see it again."""
        replay = f'python -c "from daemon.testing.simulator import simulate; print(simulate({self.seed}))"'
        return "\n".join([f"seed {self.seed}:", *self.violations, f"replay: {replay}"])


def simulate(seed: int, faults: Faults = DEFAULT, seams: Seams = SEAMS) -> History:
    """One history; never raises for what goes wrong inside it."""
    world = World(seed, faults, seams)
    with suppress(Hopeless):
        world.live()
    witness = world.witness
    ends = Counter(run.state.value for run in witness.runs.values())
    return History(seed, tuple(witness.violations), ends, tuple(witness.trace))


def failing(seeds: Iterable[int], faults: Faults = DEFAULT, seams: Seams = SEAMS) -> History | None:
    """The first history that breaks an invariant."""
    return next((history for seed in seeds if (history := simulate(seed, faults, seams)).violations), None)
