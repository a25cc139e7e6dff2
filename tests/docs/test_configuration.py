"""docs/configuration.md is what the models say."""

from __future__ import annotations

from pathlib import Path

from daemon.config.reference import page

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "python -m daemon.config.reference > docs/configuration.md"
