"""The order of a plan: ids, needs, and no way round in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from . import stand_in
from .draft import Refusal
from .nearest import did_you_mean
from .plan import Step
from .references import Key, Reference, leaves, parse


def with_implied_needs(step: Step, known: Collection[str]) -> Step:
    """A step that reads another of the `known` needs it, strongly where the file does not call it weak."""
    listed = {*step.needs, *step.needs_weak}
    implied = (name for name in dict.fromkeys(steps_read(step)) if name in known and name not in listed)
    return replace(step, needs=(*step.needs, *implied))


def steps_read(step: Step) -> Iterator[str]:
    """Ids of the steps that its inputs refer to; what cannot be parsed is refused elsewhere."""
    templates = [
        step.inputs,
        step.repair.inputs if step.repair else {},
        step.fresh.inputs if step.fresh else {},
    ]
    for template in templates:
        for _, leaf in leaves(template):
            yield from (part.step for part in _parts(leaf) if isinstance(part, Reference) and part.step)


def _parts(leaf: object) -> tuple[object, ...]:
    try:
        return parse(leaf) if isinstance(leaf, str) else ()
    except ValueError:
        return ()


def refuse_order(steps: tuple[Step, ...]) -> Iterator[Refusal]:
    """Doubled ids, needs that name nothing, and cycles. Takes steps whose implied needs are in."""
    yield from _doubled(steps)
    for number, step in enumerate(steps):
        yield from _needs(number, step, {other.id for other in steps})
    yield from stand_in.refuse(steps)
    yield from _cycle(steps)


def _doubled(steps: tuple[Step, ...]) -> Iterator[Refusal]:
    seen: Counter[str] = Counter()
    for number, step in enumerate(steps):
        seen[step.id] += 1
        if seen[step.id] == 2:
            yield Refusal(step.id, ("steps", number, "id"), f"two steps have the id {step.id!r}", "rename one of them")


def _needs(number: int, step: Step, ids: set[str]) -> Iterator[Refusal]:
    for key, needs in (("needs", step.needs), ("needs_weak", step.needs_weak)):
        for index, name in enumerate(needs):
            path: tuple[Key, ...] = ("steps", number, key, index)
            if name == step.id:
                yield Refusal(step.id, path, f"step {step.id!r} needs itself")
            elif name not in ids:
                yield Refusal(step.id, path, f"there is no step {name!r}", did_you_mean(name, ids - {step.id}))
    for name in sorted(set(step.needs) & set(step.needs_weak)):
        path = ("steps", number, "needs_weak")
        yield Refusal(step.id, path, f"{name!r} is both a need and a weak need", "keep one of them")


def _cycle(steps: tuple[Step, ...]) -> Iterator[Refusal]:
    try:
        TopologicalSorter(stand_in.order(steps)).prepare()
    except CycleError as error:
        way = list(reversed(error.args[1]))
        number = next(n for n, step in enumerate(steps) if step.id == way[0])
        message = f"steps need each other in a circle: {' -> '.join(way)}"
        yield Refusal(way[0], ("steps", number), message, "an arrow means 'needs'; take one of them away")
