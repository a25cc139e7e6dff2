"""Small pictures as SVG paths: made of numbers alone, so that no text of anybody's gets into them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.model import RunState
from ..domain.plan import Plan

SPARK_HEIGHT = 20
_TALL: Mapping[RunState, int] = {
    RunState.SUCCEEDED: 11,
    RunState.DEGRADED: 15,
    RunState.FAILED: 20,
    RunState.CANCELLED: 6,
}
"""A state is told by its height as well as by its colour."""
_STEP = 5


@dataclass(frozen=True, slots=True)
class Spark:
    """`paths` by state; `words` says the same."""

    paths: Mapping[str, str]
    width: int
    words: str


def spark(states: Sequence[RunState], most: int) -> Spark:
    """Oldest on the left; `states` are newest first."""
    paths: dict[str, list[str]] = defaultdict(list)
    for place, state in enumerate(states):
        tall = _TALL.get(state, 8)
        left = (most - 1 - place) * _STEP
        paths[state.value].append(f"M{left} {SPARK_HEIGHT - tall}h3v{tall}h-3z")
    counts = Counter(state.value for state in states)
    words = ", ".join(f"{number} {state}" for state, number in counts.most_common()) or "no runs yet"
    return Spark({state: "".join(bars) for state, bars in paths.items()}, most * _STEP, words)


@dataclass(frozen=True, slots=True)
class Node:
    step: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Edge:
    path: str
    weak: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """Steps in columns, each to the right of all that it needs. Sizes in pixels."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    width: int
    height: int


NODE_WIDTH, NODE_HEIGHT = 176, 56
_ACROSS, _DOWN, _MARGIN = 52, 18, 4


def graph(plan: Plan) -> Graph:
    columns: dict[str, int] = {}
    for step in plan.steps:
        columns[step.id] = _column(step.id, plan, columns)
    rows: Counter[int] = Counter()
    at: dict[str, Node] = {}
    deepest = max(Counter(columns.values()).values(), default=1)
    for step in plan.steps:
        column = columns[step.id]
        in_column = sum(1 for other in columns.values() if other == column)
        top = (deepest - in_column) * (NODE_HEIGHT + _DOWN) // 2
        at[step.id] = Node(
            step.id,
            _MARGIN + column * (NODE_WIDTH + _ACROSS),
            _MARGIN + top + rows[column] * (NODE_HEIGHT + _DOWN),
        )
        rows[column] += 1
    width = (max(columns.values(), default=0) + 1) * (NODE_WIDTH + _ACROSS) - _ACROSS + 2 * _MARGIN
    height = deepest * (NODE_HEIGHT + _DOWN) - _DOWN + 2 * _MARGIN
    return Graph(list(at.values()), list(_edges(plan, at)), width, height)


def _column(step: str, plan: Plan, columns: Mapping[str, int], seen: tuple[str, ...] = ()) -> int:
    if step in columns or step in seen:
        return columns.get(step, 0)
    needs = (*plan.by_id[step].needs, *plan.by_id[step].needs_weak)
    if original := plan.originals.get(step):
        needs = (*needs, original)
    return max((_column(need, plan, columns, (*seen, step)) + 1 for need in needs), default=0)


def _edges(plan: Plan, at: Mapping[str, Node]) -> Iterable[Edge]:
    for step in plan.steps:
        for need in step.needs:
            yield Edge(_curve(at[need], at[step.id]), weak=False)
        stands_for = [plan.originals[step.id]] if step.id in plan.originals else []
        for need in (*step.needs_weak, *stands_for):
            yield Edge(_curve(at[need], at[step.id]), weak=True)


def _curve(start: Node, end: Node) -> str:
    x, y = start.x + NODE_WIDTH, start.y + NODE_HEIGHT // 2
    to_x, to_y = end.x, end.y + NODE_HEIGHT // 2
    bend = max(24, (to_x - x) // 2)
    return f"M{x} {y}C{x + bend} {y} {to_x - bend} {to_y} {to_x} {to_y}"


@dataclass(frozen=True, slots=True)
class Bar:
    """`height` in pixels of 64."""

    x: int
    height: int
    state: str
    words: str


def bars(values: Sequence[tuple[RunState, float, str]]) -> list[Bar]:
    """State, seconds and the words for them, oldest first."""
    longest = max((seconds for _, seconds, _ in values), default=0.0) or 1.0
    return [
        Bar(place * 12, max(2, round(64 * seconds / longest)), state.value, words)
        for place, (state, seconds, words) in enumerate(values)
    ]
