"""A user's own job in simulated histories: how it would come out, before it has to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.domain.codec import encode
from daemon.domain.digests import digest
from daemon.domain.events import Decided
from daemon.domain.model import Run
from daemon.domain.plan import Plan
from daemon.domain.tool import ToolSpec
from daemon.ports import Decider

from .faults import NONE, Dice, Faults
from .habits import Habit, HabitualCast
from .incarnation import Seams
from .production import Production
from .tokens import tokens_of
from .tools import ANYTHING, make_job
from .world import World

USUAL = replace(NONE, crash=0.001, kill=0.02, freeze=0.001, outage=0.001, receiver=0.02)
"""What goes wrong around the tools unless a person says otherwise."""
ONCE = "0 10 * * *"
"""Due once in a history, whatever the job's own schedule is."""


@dataclass(frozen=True, slots=True)
class Take:
    """How one history came out. `outcome` is the run's end, or `escalated` where a person was asked."""

    seed: int
    outcome: str
    seconds: float
    duplicates: int
    violations: tuple[str, ...]
    tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """Over many takes: shares by outcome, seconds at the median and at the 95th percentile, the worst seeds.

    `tokens` are the mean of a run.
    """

    runs: int
    shares: Mapping[str, float]
    duplicates: int
    p50: float
    p95: float
    worst: tuple[int, ...]
    violations: tuple[str, ...]
    tokens: float


OUTCOMES = ("succeeded", "degraded", "escalated", "failed", "cancelled")
"""Best first."""


def skeleton(plan: Plan) -> Plan:
    """The plan's control flow alone: its steps, needs, limits and effects, with tools that take and give anything."""
    tools = {name: _open(tool) for name, tool in plan.tools.items()}
    steps = tuple(replace(step, inputs={}, accept=(), open=(), secrets={}, fresh=None) for step in plan.steps)
    bare = replace(plan, steps=steps, tools=tools, shares_dates=False, digest="")
    return replace(bare, digest=digest(encode(bare)))


def _open(tool: ToolSpec) -> ToolSpec:
    return replace(tool, input_schema=ANYTHING, output_schema=ANYTHING, destination=(), secrets=())


@dataclass(frozen=True, slots=True)
class Troupe:
    """Who plays: the tools as they are used to act, and whoever decides (the rule, or whims, without a decider).

    `tokens` is what a decision takes that does not say it itself.
    """

    known: Mapping[str, Habit]
    decider: Decider | None = None
    tokens: float = 0.0


def rehearse(plan: Plan, troupe: Troupe, seed: int, faults: Faults = USUAL) -> Take:
    """One history of a skeleton; the same seed gives the same one."""
    dice = Dice(seed)
    job = make_job(plan, ONCE, "UTC")
    production = Production(job, HabitualCast(dice, plan, troupe.known), troupe.decider)
    world = World(seed, faults, Seams(), production)
    world.live()
    witness = world.witness
    asked = any(seen.escalated for seen in witness.seen.values())
    runs = list(witness.runs.values())
    outcome = "escalated" if asked else _worst(runs)
    duplicates = sum("arrived" in broken and "times" in broken for broken in witness.violations)
    made = [what.decision for _, _, _, what in witness.trace if isinstance(what, Decided)]
    tokens = sum(tokens_of(each) or troupe.tokens for each in made) / max(1, len(runs))
    return Take(seed, outcome, max(map(_seconds, runs), default=0.0), duplicates, tuple(witness.violations), tokens)


def _worst(runs: Sequence[Run]) -> str:
    states = Counter(run.state.value for run in runs)
    return next((state for state in reversed(OUTCOMES) if states[state]), "failed")


def _seconds(run: Run) -> float:
    ended, began = run.ended_at, run.queued_at
    return (ended - began).total_seconds() if ended else 0.0


def predict(takes: Sequence[Take], worst: int = 3) -> Prediction:
    """Takes at least one. Durations are of the runs for which nobody was asked."""
    counted = Counter(take.outcome for take in takes)
    seconds = sorted(take.seconds for take in takes if take.outcome != "escalated") or [0.0]
    ranked = sorted(takes, key=lambda take: (not take.violations, -OUTCOMES.index(take.outcome), -take.seconds))
    return Prediction(
        runs=len(takes),
        shares={outcome: counted[outcome] / len(takes) for outcome in OUTCOMES},
        duplicates=sum(take.duplicates for take in takes),
        p50=seconds[len(seconds) // 2],
        p95=seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))],
        worst=tuple(take.seed for take in ranked[:worst]),
        violations=tuple(broken for take in takes for broken in take.violations),
        tokens=sum(take.tokens for take in takes) / len(takes),
    )
