"""A Store in memory, with the same rules as the one on SQL and a seam for crashes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import RLock
from typing import TypeAlias

from daemon.domain.chain import Link, Success
from daemon.domain.deed import Deed
from daemon.domain.job import LedgerRow
from daemon.domain.model import Json, Run, RunState
from daemon.domain.pause import Pause
from daemon.domain.projection import effects
from daemon.domain.revision import Revision
from daemon.ports import Activity, Birth, Change, EffectRow, EffectState, Followed, Message, Stale

from .memory_alert_book import MemoryAlertBook
from .memory_queries import MemoryQueries
from .memory_tables import Kept, Lease, Tables

Hook: TypeAlias = Callable[[str], None]
"""Called with the name of the method that writes; what it raises comes out of that method."""


def let(name: str) -> None:
    """The hook that lets everything happen."""


class MemoryStore(MemoryQueries):
    """`daemon.ports.Store` and `Queries`.

    `before_commit` may raise to crash before anything is stored, `after_commit` to lose only the answer. `strict`
    sends every value through the codec, as a database would. `boot` is the clock of the lease in seconds, and
    `alive` tells whether an owner's process still lives.
    """

    def __init__(
        self,
        *,
        strict: bool = False,
        boot: Callable[[], float] = time.monotonic,
        alive: Callable[[str], bool] = bool,
    ) -> None:
        super().__init__(Tables(strict), RLock())
        self.before_commit: Hook = let
        self.after_commit: Hook = let
        self._boot = boot
        self._alive = alive

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        with self._writing("create", fence):
            self._account(rows, watermarks or {})
            fresh = list(self._fresh(births))
            for birth, new in zip(births, fresh, strict=True):
                self._bear(birth, owner, new)
            return fresh

    def revise(
        self, revisions: Sequence[Revision], watermarks: Mapping[str, datetime] | None = None, *, fence: int = 0
    ) -> None:
        with self._writing("revise", fence):
            for one in revisions:
                self._tables.revisions.setdefault((one.job, one.since), self._tables.through(one))
            self._account([], watermarks or {})

    def revisions(self, job: str | None = None) -> list[Revision]:
        with self._lock:
            found = sorted(key for key in self._tables.revisions if job in {None, key[0]})
            return [self._tables.revisions[key] for key in found]

    def pause(self, pause: Pause) -> None:
        with self._writing("pause"):
            self._tables.pauses[pause.job] = self._tables.through(pause)

    def resume(self, job: str, at: datetime, by: str) -> bool:  # noqa: ARG002 - only the database keeps who ended it
        with self._writing("resume"):
            return self._tables.pauses.pop(job, None) is not None

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        with self._lock:
            running: dict[str, datetime] = {}
            for kept in self._tables.open.values():
                if not self._counts(kept.run.id):
                    continue
                running[kept.run.job] = min(kept.run.queued_at, running.get(kept.run.job, kept.run.queued_at))
            return Activity(running, self._made(set(jobs), since))

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        with self._lock:
            tables = self._tables
            runs = [kept.run for kept in tables.runs.values() if kept.run.job == link.upstream]
            runs = [run for run in runs if self._counts(run.id)]
            owed = [
                Success(run.id, run.instant, run.ended_at, run.data)
                for run in runs
                if run.state is RunState.SUCCEEDED
                and run.ended_at
                and (link.covers(run.instant, run.ended_at) or run.id in also)
                and (since is None or run.queued_at > since or run.id in also)
                and (follower, run.instant) not in tables.ledger
            ]
            return Followed(owed, frozenset(run.id for run in runs if not run.state.ended))

    def load(self, run_id: str) -> Run:
        return self.run(run_id)

    def latest(self, job: str, instant: datetime) -> Run | None:
        with self._lock:
            revisions = self._tables.revised.get((job, instant))
            return self._tables.runs[revisions[max(revisions)]].run if revisions else None

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        with self._writing("claim", fence):
            kept = self._tables.runs[run_id]
            run = kept.run
            if run.state.ended:
                raise Stale(f"run {run_id} has ended: {run.state.value}")
            kept.run = replace(run, epoch=run.epoch + 1, version=run.version + 1)
            kept.owner = owner
            return kept.run

    def commit(self, change: Change) -> None:
        with self._writing("commit"):
            kept, run = self._current(change), change.after
            effected = list(effects(change.before, run, change.events))
            self._tables.refuse_delivered(run, effected)
            self._tables.store(kept, run, change.events)
            self._tables.effect(run.id, effected)
            self._tables.ask(change)
            for message in change.folded:
                self._tables.fold(message, run.id, change.replies.get(message, ""))

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        with self._lock:
            unread = {message.run for message in self._tables.inbox.values()}
            found = [kept for kept in self._tables.open.values() if _is_due(kept, now, owner, unread)]
        found.sort(key=lambda kept: (kept.wake or kept.run.queued_at, kept.run.id))
        return [kept.run.id for kept in found[:limit]]

    def next_wake(self, but: Collection[str] = ()) -> datetime | None:
        with self._lock:
            counted = (kept.wake for run, kept in self._tables.open.items() if run not in but)
            return min(filter(None, counted), default=None)

    def note(self, deed: Deed) -> None:
        with self._writing("note"):
            self._tables.note(deed)

    def deed(self, key: str) -> Deed | None:
        with self._lock:
            return next((one for one in self._tables.deeds if one.key == key), None)

    def post(self, message: Message) -> int:
        with self._writing("post"):
            tables = self._tables
            tables.posted += 1
            tables.inbox[tables.posted] = replace(tables.through(message), id=tables.posted)
            return tables.posted

    def messages(self, run_id: str) -> list[Message]:
        with self._lock:
            return [message for message in self._tables.inbox.values() if message.run == run_id]

    def reply(self, message: int) -> str | None:
        return self._tables.replies.get(message)

    @property
    def alerts(self) -> MemoryAlertBook:
        return MemoryAlertBook(self._tables, self._writing)

    def remember(self, intents: Sequence[EffectRow], *, fence: int = 0) -> int:
        with self._writing("remember", fence):
            effects = self._tables.effects
            new = [row for row in intents if _is_forgotten(effects.get(row.key), row)]
            effects.update({row.key: row for row in new})
            return len(new)

    def effect(self, key: str) -> EffectRow | None:
        return self._tables.effects.get(key)

    def save_plans(self, bodies: Mapping[str, Json]) -> None:
        with self._writing("save_plans"):
            for digest, body in bodies.items():
                self._tables.plans.setdefault(digest, body)

    def save_plan(self, digest: str, body: Json) -> None:
        with self._writing("save_plan"):
            self._tables.plans.setdefault(digest, body)

    def load_plan(self, digest: str) -> Json:
        return self._tables.plans[digest]

    def lead(self, owner: str, seconds: float) -> int | None:
        with self._writing("lead"):
            held, now = self._tables.lease, self._boot()
            if held.owner != owner and held.expires > now and self._alive(held.owner):
                return None
            epoch = held.epoch + int(held.owner != owner)
            self._tables.lease = Lease(owner, epoch, now + seconds)
            return epoch

    def resign(self, owner: str) -> None:
        with self._writing("resign"):
            if self._tables.lease.owner == owner:
                self._tables.lease = Lease(epoch=self._tables.lease.epoch)

    def close(self) -> None:
        """Nothing is open; what is stored stays readable."""

    def backup(self) -> Tables:
        """Everything as it is now."""
        with self._lock:
            return self._tables.copy()

    def restore(self, backup: Tables) -> None:
        """Forget what happened since. Whoever held the lease, then or now, has lost it."""
        with self._lock:
            self._tables = backup.copy()
            self._tables.lease = Lease(epoch=backup.lease.epoch + 1)

    @contextmanager
    def _writing(self, name: str, fence: int = 0) -> Iterator[None]:
        with self._lock:
            self.before_commit(name)
            epoch = self._tables.lease.epoch
            if fence > 0 and fence != epoch:
                raise Stale(f"the lease has passed from epoch {fence} to {epoch}: another daemon leads")
            yield
            self.after_commit(name)

    def _made(self, jobs: Set[str], since: datetime) -> Mapping[tuple[str, datetime], str]:
        wanted = {key: runs for key, runs in self._tables.revised.items() if key[0] in jobs and key[1] > since}
        found = ((key, sorted(run for run in runs.values() if self._counts(run))) for key, runs in wanted.items())
        return {key: runs[0] for key, runs in found if runs}

    def _counts(self, run_id: str) -> bool:
        return self._tables.runs[run_id].run.cause != "dry run"

    def _fresh(self, births: Sequence[Birth]) -> Iterator[bool]:
        """Which of them will be stored. Raises before anything is, so that all or nothing happens."""
        taken: set[object] = set()
        for birth in births:
            names = _names(birth)
            new = not names & taken and not self._known(birth)
            if new:
                self._tables.refuse_delivered(birth.run, effects(birth.run, birth.run, birth.events))
                taken |= names
            yield new

    def _known(self, birth: Birth) -> bool:
        run, tables = birth.run, self._tables
        due = birth.ledger.occurrence if birth.ledger else None
        accounted = due is not None and (due.job, due.instant) in tables.ledger
        if accounted or tables.key_used(birth.deed):
            return True
        return run.id in tables.runs or run.revision in tables.revised.get((run.job, run.instant), {})

    def _bear(self, birth: Birth, owner: str, new: bool) -> None:
        """A person may have run this occurrence before it was due: it is accounted for all the same."""
        run, tables = birth.run, self._tables
        if birth.ledger:
            tables.account(birth.ledger)
        if new:
            kept = tables.runs[run.id] = tables.open[run.id] = Kept(run, owner)
            tables.revised.setdefault((run.job, run.instant), {})[run.revision] = run.id
            tables.store(kept, run, birth.events)
            tables.effect(run.id, effects(run, run, birth.events))
            if birth.deed:
                tables.note(birth.deed)

    def _account(self, rows: Sequence[LedgerRow], watermarks: Mapping[str, datetime]) -> None:
        for row in rows:
            self._tables.account(row)
        for job, at in watermarks.items():
            self._tables.watermarks[job] = max(at, self._tables.watermarks.get(job, at))

    def _current(self, change: Change) -> Kept:
        kept = self._tables.runs.get(change.after.id)
        epoch, version = change.after.epoch, change.before.version
        if kept is None or (kept.run.epoch, kept.run.version) != (epoch, version):
            raise Stale(f"run {change.after.id} is no longer at epoch {epoch}, version {version}")
        return kept


def _names(birth: Birth) -> set[object]:
    """What no two births may have in common."""
    run = birth.run
    due = birth.ledger.occurrence if birth.ledger else None
    return {run.id, (run.job, run.instant, run.revision)} | ({(due.job, due.instant)} if due else set())


def _is_forgotten(held: EffectRow | None, intent: EffectRow) -> bool:
    """It knows only of another attempt: one that came to nothing, or had less time."""
    if held is None or held.state is EffectState.DELIVERED:
        return held is None
    return held.deadline != intent.deadline if held.state is EffectState.VOID else held.deadline < intent.deadline


def _is_due(kept: Kept, now: datetime, owner: str, unread: Set[str]) -> bool:
    return (
        kept.run.state is RunState.QUEUED
        or kept.owner != owner
        or (kept.wake is not None and kept.wake <= now)
        or kept.run.id in unread
    )
