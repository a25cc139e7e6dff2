"""What people see of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..domain.deed import Deed
from ..domain.events import Event
from ..domain.job import Disposition, LedgerRow
from ..domain.model import Run, RunState
from ..domain.pause import Pause
from ..domain.plan import Plan
from .effects import EffectRow


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of a list of runs."""

    id: str
    job: str
    instant: datetime
    revision: int
    date: str
    state: RunState
    cause: str
    reason: str
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class EscalationRow:
    """One question with the run it belongs to."""

    id: str
    run: str
    job: str
    step: str | None
    question: str
    options: tuple[str, ...]
    default: str
    asked_at: datetime
    expires_at: datetime
    digest: str = ""
    option: str = ""
    """What was decided; empty while it is open, and where it closed without an answer."""
    closed_by: str = ""
    closed_at: datetime | None = None
    """None while it is open."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A job's newest runs in short, newest first: all their states, and the newest and every unfinished one in full."""

    states: tuple[RunState, ...] = ()
    last: RunRow | None = None
    unfinished: tuple[RunRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Accounted:
    """One due instant in short: how it was accounted for, and how the run that carries it stands."""

    instant: datetime
    disposition: Disposition
    run: str | None
    state: RunState | None


class Queries(Protocol):
    """What the CLI and the page read. Never used to decide anything."""

    def run(self, run_id: str) -> Run:
        """Raises KeyError, Unreadable."""
        ...

    def plan(self, digest: str) -> Plan:
        """Raises KeyError."""
        ...

    def runs(
        self, job: str | None = None, state: RunState | None = None, limit: int = 50, before: str | None = None
    ) -> list[RunRow]:
        """Newest first; those that come after the run `before` in that order."""
        ...

    def recent(self, jobs: Sequence[str], each: int) -> Mapping[str, Recent]:
        """Of every one of these jobs its newest runs, at most `each`."""
        ...

    def events(self, run_id: str) -> list[Event]: ...

    def escalations(self, include_closed: bool = False) -> list[EscalationRow]: ...

    def decided(self, limit: int = 10) -> list[EscalationRow]:
        """Those that are closed, by whoever or by nobody in time, the latest first."""
        ...

    def ledger(self, job: str, start: datetime, end: datetime) -> list[LedgerRow]:
        """From `start` up to, not including, `end`; a row that stands for many counts by its last instant."""
        ...

    def ledger_after(self, job: str, instant: datetime) -> LedgerRow | None:
        """The first row at or after that instant: the one that stands for it, if any does."""
        ...

    def accounted(self, job: str, start: datetime, limit: int) -> list[Accounted]:
        """The newest rows of the ledger at or after `start`, newest first."""
        ...

    def watermarks(self) -> Mapping[str, datetime]: ...

    def pauses(self) -> list[Pause]: ...

    def effects(self, run_id: str) -> list[EffectRow]: ...

    def deeds(self, limit: int = 50, before: datetime | None = None) -> list[Deed]:
        """The audit log, newest first."""
        ...
