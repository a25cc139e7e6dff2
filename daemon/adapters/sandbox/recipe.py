"""How a generation of workers is made."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEAVY = (
    "pandas",
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "sqlalchemy",
    "pyarrow",
    "babel.dates",
    "babel.numbers",
)
"""Libraries that cost a fresh process hundreds of milliseconds."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a zygote loads and keeps waiting.

    `folders` hold extra tools, `tools` are loaded before any call (others when they are called), `preload`
    names libraries, `spares` is how many workers wait, `cache` keeps what libraries build once.
    """

    folders: tuple[Path, ...] = ()
    tools: tuple[str, ...] = ()
    preload: tuple[str, ...] = HEAVY
    spares: int = 2
    cache: Path = Path(tempfile.gettempdir()) / "clockwright-cache"

    def to_json(self, without: frozenset[str]) -> dict[str, Any]:
        """What the zygote needs to know; `without` names modules that hung or ended an earlier one."""
        return {
            "folders": [str(folder) for folder in self.folders],
            "tools": [name for name in self.tools if name not in without],
            "preload": [name for name in self.preload if name not in without],
        }
