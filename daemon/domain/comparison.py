"""What differs between two runs, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .model import Json, Run, StepRun

WHOLE = ""
"""Stands for the run itself where a step's id is expected."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` is a field of the run or of the step, or a path into its output."""

    step: str
    what: str
    before: Json
    after: Json


def compare(before: Run, after: Run) -> Iterator[Difference]:
    """Differences in the order of the steps; none where both came to the same."""
    for what in ("job", "state", "reason", "plan", "send"):
        yield from _differ(WHOLE, what, getattr(before, what), getattr(after, what))
    yield from _differ(WHOLE, "date", before.data.day.isoformat(), after.data.day.isoformat())
    for step in dict.fromkeys([*before.steps, *after.steps]):
        yield from _steps(step, before.steps.get(step) or StepRun(step), after.steps.get(step) or StepRun(step))


def _steps(step: str, before: StepRun, after: StepRun) -> Iterator[Difference]:
    for what in ("state", "tries", "summary", "cause", "missing", "stale"):
        yield from _differ(step, what, getattr(before, what), getattr(after, what))
    yield from _values(step, "output", before.output, after.output)


def _values(step: str, path: str, before: Json, after: Json) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from _values(step, f"{path}.{name}", before.get(name), after.get(name))
    else:
        yield from _differ(step, path, before, after)


def _differ(step: str, what: str, before: Json, after: Json) -> Iterator[Difference]:
    if before != after:
        yield Difference(step, what, before, after)
