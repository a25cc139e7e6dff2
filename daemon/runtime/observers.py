"""Observers cannot hurt: an event goes to each, and one that fails is left to its own trouble."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..domain.events import Event
from ..domain.job import LedgerRow
from ..domain.model import Run
from ..ports import EventSink, Meter, Notice


class Observers:
    """An EventSink over many. `failures` counts, by observer, what could not be delivered."""

    def __init__(self, sinks: Sequence[EventSink]) -> None:
        self._sinks = list(sinks)
        self.failures: Counter[str] = Counter()

    def add(self, sink: EventSink) -> None:
        self._sinks.append(sink)

    def emit(self, run: Run, event: Event) -> None:
        self._each(lambda sink: sink.emit(run, event))

    def notice(self, notice: Notice) -> None:
        self._each(lambda sink: sink.notice(notice))

    def accounted(self, rows: Sequence[LedgerRow]) -> None:
        self._each(lambda sink: sink.accounted(rows) if isinstance(sink, Meter) else None)

    def committed(self, seconds: float) -> None:
        self._each(lambda sink: sink.committed(seconds) if isinstance(sink, Meter) else None)

    def _each(self, tell: Callable[[EventSink], None]) -> None:
        for sink in self._sinks:
            try:
                tell(sink)
            except Exception:  # noqa: BLE001  # whatever an observer does, the run must not notice
                self.failures[type(sink).__name__] += 1
