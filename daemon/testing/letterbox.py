"""People as the alerts reach them: fakes of Slack's courier and pen, and of the second channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Json, Reconciled, Verdict
from daemon.ports import Letter, LetterReceipt, Severity


@dataclass(slots=True)
class Letterbox:
    """`daemon.ports.Courier`. `fault` says how a call fails; `lost` posts arrive although their answer does not."""

    arrived: dict[str, Letter] = field(default_factory=dict)
    """By effect key, in order."""
    fault: Failed | None = None
    lost: bool = False
    deaf: bool = False
    """It cannot tell what it has."""
    before: Callable[[], None] = lambda: None
    """Called before anything is sent, and may raise as a crash does."""
    repeats: list[str] = field(default_factory=list)
    """Keys that came a second time: never, if all is well."""
    calls: int = 0

    def post(self, letter: Letter, key: str, until: datetime) -> LetterReceipt | Failed:  # noqa: ARG002  # the port's shape
        self.before()
        self.calls += 1
        if self.fault is not None:
            return self.fault
        if key in self.arrived:
            self.repeats.append(key)
        self.arrived[key] = letter
        if self.lost:
            return Failed(Kind.UNKNOWN_OUTCOME, "the connection was dropped")
        return self._receipt(key)

    def ask(self, letter: Letter, key: str) -> LetterReceipt | Reconciled | Failed:  # noqa: ARG002  # the port's shape
        if self.fault is not None or self.deaf:
            return Reconciled(Verdict.CANNOT_TELL, reason="no answer")
        return self._receipt(key) if key in self.arrived else Reconciled(Verdict.NOT_FOUND)

    @property
    def letters(self) -> list[Letter]:
        return list(self.arrived.values())

    def _receipt(self, key: str) -> LetterReceipt:
        number = list(self.arrived).index(key) + 1
        return LetterReceipt(
            "C0123456789", f"{number}.000100", f"https://example.slack.com/archives/C0123456789/p{number}"
        )


@dataclass(slots=True)
class OtherWay:
    """`daemon.ports.SecondChannel`."""

    sent: list[tuple[str, str]] = field(default_factory=list)
    refuses: str = ""

    def send(self, title: str, text: str, severity: Severity) -> str:  # noqa: ARG002  # the port's shape
        if not self.refuses:
            self.sent.append((title, text))
        return self.refuses


@dataclass(slots=True)
class FakePen:
    """`daemon.ports.Pen`."""

    edits: list[tuple[str, Letter]] = field(default_factory=list)
    whispers: list[tuple[str, str]] = field(default_factory=list)
    """To whom, and what."""
    views: list[Json] = field(default_factory=list)
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    fault: Failed | None = None

    def edit(self, letter: Letter, stamp: str) -> Failed | None:
        if self.fault is None:
            self.edits.append((stamp, letter))
        return self.fault

    def whisper(self, channel: str, user: str, text: str) -> Failed | None:  # noqa: ARG002  # the port's shape
        self.whispers.append((user, text))
        return self.fault

    def open(self, trigger: str, view: Json) -> Failed | None:  # noqa: ARG002  # the port's shape
        self.views.append(view)
        return self.fault

    def members(self, group: str) -> frozenset[str] | None:
        return self.groups.get(group)
