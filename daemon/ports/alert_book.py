"""Where alerts are kept, and the news that they are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..domain.alerts import Alert
from ..domain.job import LedgerRow
from .queries import EscalationRow, RunRow


@dataclass(frozen=True, slots=True)
class News:
    """What has been stored since: runs that ended, and due instants that got none although they should have."""

    ended: list[RunRow]
    unstarted: list[LedgerRow]
    until: datetime | None = None
    """How far it goes, where there was more than was asked for."""

    @classmethod
    def limited(cls, ended: list[RunRow], unstarted: list[LedgerRow], limit: int) -> News:
        """Of lists that were cut off at `limit` each."""
        times = [ended[-1].ended_at] if len(ended) >= limit else []
        times += [unstarted[-1].recorded_at] if len(unstarted) >= limit else []
        return cls(ended, unstarted, min((at for at in times if at), default=None))


class AlertBook(Protocol):
    """Where alerts are kept. One writer, the leader; a write names its fence. Raises StoreError."""

    def news(self, since: datetime, limit: int) -> News:
        """Oldest first, at most `limit` of either; no dry runs."""
        ...

    def spent(self, runs: Sequence[str]) -> list[str]:
        """The costs of all decisions made in these runs, as they were written down; an empty one is unknown."""
        ...

    def active(self) -> list[Alert]:
        """Those of which something may still be told, oldest first."""
        ...

    def known(self, sources: Sequence[str]) -> frozenset[str]:
        """Those of them that were taken in already."""
        ...

    def newest(self) -> datetime | None:
        """The time of the latest source that was taken in."""
        ...

    def question(self, run: str, question: str) -> EscalationRow | None:
        """Open or closed; None where it is not stored any more."""
        ...

    def save(self, alerts: Sequence[Alert], sources: Mapping[str, datetime], *, fence: int = 0) -> None:
        """In one transaction; an alert that is there is replaced."""
        ...

    def forget(self, before: datetime) -> None:
        """Alerts that are finished, and sources, that are older."""
        ...
