"""Whoever is told what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..domain.events import Event
from ..domain.job import LedgerRow
from ..domain.model import Run
from ..domain.severity import Severity


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to the daemon rather than to a run: `topic` is one of a fixed list, for folding."""

    topic: str
    message: str
    severity: Severity = Severity.WARNING
    job: str | None = None
    run: str | None = None
    about: tuple[str, ...] = ()
    """What it tells of, each by a name that lasts: told once, however it is worded and whoever says it again."""


class EventSink(Protocol):
    """An observer of committed events and of notices: metrics, logs, alerts. It may fail; the run never notices."""

    def emit(self, run: Run, event: Event) -> None: ...

    def notice(self, notice: Notice) -> None: ...


@runtime_checkable
class Meter(Protocol):
    """An observer that is also told what no run's event says."""

    def accounted(self, rows: Sequence[LedgerRow]) -> None:
        """Due instants got their disposition."""
        ...

    def committed(self, seconds: float) -> None:
        """A unit of work became durable; `seconds` is what its caller waited."""
        ...
