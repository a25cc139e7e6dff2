"""The fenced blocks of the documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCED = re.compile(r"^([ \t]*)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`clockwright ((?:[a-z][\w-]* ?)+)[^`]*`")


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def _of(path: Path) -> list[Block]:
    text = path.read_text()
    return [
        Block(path.name, text[: found.start()].count("\n") + 1, found[2], dedent(found[3]))
        for found in _FENCED.finditer(text)
    ]


BLOCKS = [block for path in PAGES for block in _of(path)]
MENTIONED = sorted({(path.name, found[1].strip()) for path in PAGES for found in _INLINE.finditer(path.read_text())})
"""Commands that a sentence names: page and words."""


def of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]
