"""docs/tools.md is what the shipped tools' contracts say."""

from __future__ import annotations

from daemon.cli.tool_page import page, shipped
from tests.docs.blocks import ROOT


def test_the_page_is_current() -> None:
    assert (ROOT / "docs/tools.md").read_text() == page(shipped()), "python -m daemon.cli.tool_page > docs/tools.md"
