"""docs/states.md draws exactly the moves that the model allows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daemon.domain.model import RUN_MOVES, STEP_MOVES

PAGE = (Path(__file__).parents[2] / "docs" / "states.md").read_text()


def drawn(title: str) -> set[tuple[str, str]]:
    section = PAGE.split(f"## {title}")[1].split("## ")[0]
    return {(start, end) for start, end in re.findall(r"^ +(\w+) --> (\w+)$", section, re.MULTILINE)}


@pytest.mark.parametrize(("title", "moves"), [("A run", RUN_MOVES), ("A step", STEP_MOVES)])
def test_every_move_is_drawn_and_every_drawn_move_exists(title: str, moves: dict[str, frozenset[str]]) -> None:
    assert drawn(title) == {(str(start), str(end)) for start, ends in moves.items() for end in ends}
