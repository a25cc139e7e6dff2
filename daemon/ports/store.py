"""The truth about runs, due instants and effects, and what is written to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from ..domain.chain import Link, Success
from ..domain.deed import Deed
from ..domain.events import Event
from ..domain.job import LedgerRow
from ..domain.model import Json, Run
from ..domain.pause import Pause
from ..domain.revision import Revision
from .effects import EffectRow


@dataclass(frozen=True, slots=True)
class Birth:
    """A run to be stored together with its ledger row (none for a request) and what it started already."""

    run: Run
    events: tuple[Event, ...] = ()
    ledger: LedgerRow | None = None
    deed: Deed | None = None
    """What asked for it; with a key that was used before, nothing is stored."""


@dataclass(frozen=True, slots=True)
class Change:
    """One unit of work on a run: `after` replaces the stored run whose epoch is equal and version one lower."""

    before: Run
    after: Run
    events: tuple[Event, ...]
    folded: tuple[int, ...] = ()
    """Ids of the inbox messages that these events answer."""
    replies: Mapping[int, str] = field(default_factory=dict)
    """Why a folded message was not obeyed; one without a reply was."""


class MessageKind(StrEnum):
    ANSWER = "answer"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Message:
    """Something a person wants of a run. People only ever insert these; the run's driver folds them."""

    run: str
    kind: MessageKind
    by: str
    at: datetime
    body: Mapping[str, Json] = field(default_factory=dict)
    id: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """What of some jobs goes on: the oldest unfinished run of each, and the runs there are for their instants."""

    running_since: Mapping[str, datetime]
    made: Mapping[tuple[str, datetime], str]


@dataclass(frozen=True, slots=True)
class Followed:
    """What a job that is followed has done. `unfinished` are its runs that may still succeed."""

    owed: list[Success]
    unfinished: frozenset[str]


class Store(Protocol):
    """The truth. Every method is one transaction and durable when it returns. Raises StoreError."""

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        """Insert runs, account for the instants that get none, move watermarks, all in one transaction.

        False for a birth whose (job, instant, revision), or whose deed's key, exists already; a ledger row that
        exists stays as it is.
        A job's watermark is the instant up to which all are accounted for.
        """
        ...

    def watermarks(self) -> Mapping[str, datetime]: ...

    def revise(
        self, revisions: Sequence[Revision], watermarks: Mapping[str, datetime] | None = None, *, fence: int = 0
    ) -> None:
        """Add schedules to the history of their jobs, and watermarks; one that is there already stays."""
        ...

    def revisions(self, job: str | None = None) -> list[Revision]:
        """By job, oldest first."""
        ...

    def pause(self, pause: Pause) -> None:
        """It takes the place of an earlier pause of the same job."""
        ...

    def resume(self, job: str, at: datetime, by: str) -> bool:
        """False where the job is not paused."""
        ...

    def pauses(self) -> list[Pause]:
        """Those that nobody has ended; one may be over by its own time."""
        ...

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        """Unfinished runs of any job, and those of `jobs` for instants after `since`; no dry runs."""
        ...

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        """Successes within the link that the ledger of `follower` says nothing of; no dry runs.

        Those of runs that were queued after `since` (None: whenever). `also` are runs that had not ended at the last
        look: they count whenever they ended.
        """
        ...

    def load(self, run_id: str) -> Run:
        """Raises KeyError for an unknown run, Unreadable for one that this version cannot read."""
        ...

    def latest(self, job: str, instant: datetime) -> Run | None:
        """The newest revision for that instant."""
        ...

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        """Take the run over under the next epoch. Raises Stale where it has ended or another claim came first."""
        ...

    def commit(self, change: Change) -> None:
        """Raises Stale when the run's epoch or version is not the one this change was made from."""
        ...

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        """Runs that need a driver: queued, not `owner`'s, past their wake time, or with an unread message."""
        ...

    def next_wake(self, but: Collection[str] = ()) -> datetime | None:
        """The earliest wake time of the unfinished runs, those of `but` left out."""
        ...

    def note(self, deed: Deed) -> None:
        """Add to the audit log. One whose key is there already stays as it is."""
        ...

    def deed(self, key: str) -> Deed | None:
        """What was done under that key."""
        ...

    def post(self, message: Message) -> int: ...

    def messages(self, run_id: str) -> list[Message]:
        """The unfolded ones, oldest first."""
        ...

    def reply(self, message: int) -> str | None:
        """None while nobody has read the message; empty where it was obeyed; else why it was not."""
        ...

    def effect(self, key: str) -> EffectRow | None: ...

    def remember(self, intents: Sequence[EffectRow], *, fence: int = 0) -> int:
        """Hold as intended what this store knows nothing of, or only another attempt: void, or with less time.

        How many those are.
        """
        ...

    def save_plan(self, digest: str, body: Json) -> None: ...

    def save_plans(self, bodies: Mapping[str, Json]) -> None:
        """By digest, all in one transaction; one that is there already stays."""
        ...

    def load_plan(self, digest: str) -> Json: ...

    def lead(self, owner: str, seconds: float) -> int | None:
        """Take or renew the one lease of this store; its epoch, or None while another live owner holds it."""
        ...

    def resign(self, owner: str) -> None: ...

    def close(self) -> None: ...


class Attic(Protocol):
    """Where ended runs go when they are old enough to be forgotten. Raises StoreError."""

    def count(self, job: str, before: datetime) -> int:
        """Runs of the job that ended before that."""
        ...

    def prune(self, job: str, before: datetime, most: int) -> int:
        """Forget the oldest of them, at most that many, in one transaction; how many went.

        What the ledger says of them, and every receipt, stays.
        """
        ...

    def unfollowed(self) -> Set[str]:
        """Digests of the plans that no stored run follows."""
        ...

    def drop(self, plans: Set[str]) -> int:
        """Forget those of them that still no run follows; how many went."""
        ...
