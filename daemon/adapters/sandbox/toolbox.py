"""Where tool modules lie and how one is loaded. Only tool processes call `load`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import atomic_tools
from atomic_tools._contract import Tool, ToolContractError

SHIPPED = Path(atomic_tools.__file__).parent


def open_folders(folders: Iterable[str | Path]) -> None:
    """Make every `name.py` of the extra folders importable as `atomic_tools.name`."""
    known = list(atomic_tools.__path__)
    extra = [str(folder) for folder in folders if str(folder) not in known]
    atomic_tools.__path__ = [*known, *dict.fromkeys(extra)]


def folders() -> list[Path]:
    """Every folder that is open now, the shipped one first."""
    return list(map(Path, atomic_tools.__path__))


def sources(folder: Path) -> Iterator[Path]:
    """The tool modules of a folder in order of name: every `*.py` without a leading underscore."""
    return (path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))


def load(name: str) -> Tool:
    """Import `atomic_tools.name` and hand out its tool; raises what that raises, or ToolContractError."""
    module = importlib.import_module(f"atomic_tools.{name}")
    tools = [key for key, value in vars(module).items() if isinstance(value, Tool)]
    own = [key for key in tools if vars(module)[key].function.__module__ == module.__name__]
    if own != [name]:
        found = ", ".join(own) or "none"
        raise ToolContractError(
            f"{name}.py must hold exactly one tool, a function {name} decorated with @tool; found: {found}"
        )
    tool: Tool = vars(module)[name]
    return tool
