"""What every decider of this daemon shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...ports import Artifacts, Clock, Notice
from .cache import Cache
from .notebook import Notebook
from .spending import Spending


@dataclass(frozen=True)
class Desk:
    """`secrets` gives the values that no text may hold, as they are now; `notice` tells whoever watches."""

    clock: Clock
    artifacts: Artifacts
    notebook: Notebook
    notice: Callable[[Notice], None]
    secrets: Callable[[], Iterable[str]]

    @property
    def spending(self) -> Spending:
        return Spending(self.notebook)

    @property
    def cache(self) -> Cache:
        return Cache(self.notebook)
