"""docs/failures.md: each row is held by a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| .* \| \[(test_\w+)\]\(\.\./(tests/[\w/]+\.py)\) \|$", (ROOT / "docs/failures.md").read_text(), re.MULTILINE
)


def test_there_are_twenty_rows_and_each_names_its_test() -> None:
    table = [line for line in (ROOT / "docs/failures.md").read_text().splitlines() if line.startswith("| ")]
    assert len(ROWS) == len(table) - 1 >= 20


@pytest.mark.parametrize(("name", "path"), ROWS)
def test_the_test_of_a_row_exists(name: str, path: str) -> None:
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.MULTILINE)
