"""A store that lets somebody look at, and strike into, every transaction of one process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Protocol

from daemon.domain.chain import Link
from daemon.domain.deed import Deed
from daemon.domain.job import LedgerRow
from daemon.domain.model import Json, Run
from daemon.domain.pause import Pause
from daemon.domain.revision import Revision
from daemon.ports import Activity, Birth, Change, EffectRow, Followed, Message, Store


class Watch(Protocol):
    """What a watcher hears. `touch` may raise instead of letting the store be read or written."""

    def touch(self, *, writes: bool = False) -> None: ...

    def led(self, epoch: int | None) -> None: ...

    def born(self, births: Sequence[Birth], stored: Sequence[bool]) -> None: ...

    def claimed(self, run: Run) -> None: ...

    def committed(self, change: Change) -> None: ...


class WatchedStore:
    """`daemon.ports.Store` over another one. A write is touched before it is made, and again once it is durable."""

    def __init__(self, inner: Store, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        self._watch.touch(writes=True)
        stored = self._inner.create(births, rows, watermarks, owner=owner, fence=fence)
        self._watch.born(births, stored)
        self._watch.touch(writes=True)
        return stored

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        self._watch.touch(writes=True)
        run = self._inner.claim(run_id, owner, fence=fence)
        self._watch.claimed(run)
        self._watch.touch(writes=True)
        return run

    def commit(self, change: Change) -> None:
        self._watch.touch(writes=True)
        self._inner.commit(change)
        self._watch.committed(change)
        self._watch.touch(writes=True)

    def watermarks(self) -> Mapping[str, datetime]:
        self._watch.touch()
        return self._inner.watermarks()

    def revise(
        self, revisions: Sequence[Revision], watermarks: Mapping[str, datetime] | None = None, *, fence: int = 0
    ) -> None:
        self._watch.touch(writes=True)
        self._inner.revise(revisions, watermarks, fence=fence)
        self._watch.born([], [])
        self._watch.touch(writes=True)

    def revisions(self, job: str | None = None) -> list[Revision]:
        self._watch.touch()
        return self._inner.revisions(job)

    def pause(self, pause: Pause) -> None:
        self._watch.touch()
        self._inner.pause(pause)

    def resume(self, job: str, at: datetime, by: str) -> bool:
        self._watch.touch()
        return self._inner.resume(job, at, by)

    def pauses(self) -> list[Pause]:
        self._watch.touch()
        return self._inner.pauses()

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        self._watch.touch()
        return self._inner.activity(jobs, since)

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        self._watch.touch()
        return self._inner.followed(follower, link, since, also)

    def load(self, run_id: str) -> Run:
        self._watch.touch()
        return self._inner.load(run_id)

    def latest(self, job: str, instant: datetime) -> Run | None:
        self._watch.touch()
        return self._inner.latest(job, instant)

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        self._watch.touch()
        return self._inner.due(now, owner, limit)

    def next_wake(self, but: Collection[str] = ()) -> datetime | None:
        self._watch.touch()
        return self._inner.next_wake(but)

    def note(self, deed: Deed) -> None:
        self._watch.touch(writes=True)
        self._inner.note(deed)

    def deed(self, key: str) -> Deed | None:
        self._watch.touch()
        return self._inner.deed(key)

    def post(self, message: Message) -> int:
        self._watch.touch()
        return self._inner.post(message)

    def messages(self, run_id: str) -> list[Message]:
        self._watch.touch()
        return self._inner.messages(run_id)

    def reply(self, message: int) -> str | None:
        self._watch.touch()
        return self._inner.reply(message)

    def remember(self, intents: Sequence[EffectRow], *, fence: int = 0) -> int:
        self._watch.touch(writes=True)
        return self._inner.remember(intents, fence=fence)

    def effect(self, key: str) -> EffectRow | None:
        self._watch.touch()
        return self._inner.effect(key)

    def save_plans(self, bodies: Mapping[str, Json]) -> None:
        self._watch.touch()
        self._inner.save_plans(bodies)

    def save_plan(self, digest: str, body: Json) -> None:
        self._watch.touch()
        self._inner.save_plan(digest, body)

    def load_plan(self, digest: str) -> Json:
        self._watch.touch()
        return self._inner.load_plan(digest)

    def lead(self, owner: str, seconds: float) -> int | None:
        self._watch.touch()
        epoch = self._inner.lead(owner, seconds)
        self._watch.led(epoch)
        return epoch

    def resign(self, owner: str) -> None:
        self._watch.touch()
        self._inner.resign(owner)

    def close(self) -> None:
        self._inner.close()
