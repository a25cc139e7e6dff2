"""From the configured models to the office that decides for their jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from ...domain.llm import Llm
from ...ports import Artifacts, Clock, Notice
from .desk import Desk
from .notebook import Notebook
from .office import Office


class Secrets(Protocol):
    """A secret by its name, and every value that no text may hold."""

    def __call__(self, name: str) -> str: ...

    def values(self) -> list[str]: ...


def open_office(
    models: Mapping[str, Llm],
    path: Path,
    clock: Clock,
    artifacts: Artifacts,
    notice: Callable[[Notice], None],
    secrets: Secrets,
) -> Office:
    """`path` is the file of what was spent. Raises PromptError."""
    desk = Desk(clock, artifacts, Notebook(path), notice, secrets.values)
    return Office(models, desk, secrets)
