"""What people may want of the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from ..domain.deed import Actor
from ..domain.model import Json, Run


@dataclass(frozen=True, slots=True)
class Requested:
    """`run` is new, or the one that stands for what was asked for already."""

    run: Run
    new: bool


class Commands(Protocol):
    """What people may want of the daemon, from wherever they ask. Every one is in the audit log before it is done.

    Raises Declined, Unknown, StoreError.
    """

    def answer(
        self, actor: Actor, escalation: str, option: str, changes: Mapping[str, Json], *, digest: str = ""
    ) -> int:
        """The message, whose reply says what came of it.

        `digest` is that of the question as it was shown; one that has changed since is not answered.
        """
        ...

    def cancel(self, actor: Actor, run_id: str) -> None: ...

    def pause(self, actor: Actor, job: str, why: str, until: datetime | None) -> None: ...

    def resume(self, actor: Actor, job: str) -> bool:
        """False where it was not paused."""
        ...

    def retry(self, actor: Actor, run_id: str, *, send: bool = False) -> Run: ...

    def request(self, actor: Actor, job: str, day: date | None, *, dry_run: bool = False, key: str = "") -> Requested:
        """A run for that day, yesterday in the job's zone where none is named. The same `key`: the same run."""
        ...
