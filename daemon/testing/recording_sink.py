"""An observer that remembers."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.domain.events import Event
from daemon.domain.model import Run
from daemon.ports import Notice


@dataclass(slots=True)
class RecordingSink:
    """`daemon.ports.EventSink`."""

    events: list[Event] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def emit(self, run: Run, event: Event) -> None:  # noqa: ARG002  # the port's shape
        self.events.append(event)

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    def topics(self) -> list[str]:
        return [notice.topic for notice in self.notices]
