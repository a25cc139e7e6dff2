"""What becomes of the instants that one job owes now. The only place where an instant is accounted for.

An instant that can neither start nor be given up yet stays owed: it is the newest that wait, so that what is decided
is always the older part, and one watermark says how far accounting has come. Nothing is ever recorded as queued.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .job import Disposition, Job
from .model import Json
from .pause import Pause
from .timing import CatchUp, Overlap, Timing

LATE = timedelta(seconds=60)
"""A run that starts more than this after its time is a late start; up to here it needs no catch-up."""

NOTABLE = timedelta(seconds=1)
"""Lateness from here on is written down."""


@dataclass(frozen=True, slots=True)
class Owed:
    """Due and unaccounted for, oldest first. Where there are too many to look at, `older` spans those before."""

    instants: tuple[datetime, ...]
    older: tuple[datetime, datetime] | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What has to be known beside the instants themselves."""

    running_since: datetime | None = None
    """When the oldest unfinished run of the job was queued."""
    made: Mapping[datetime, str] = field(default_factory=dict)
    """Instants that a run stands for already, because a person asked for it early."""
    pause: Pause | None = None
    late_room: int = 1_000_000
    """How many late runs may start at most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One instant, or all from `since` up to `instant`, with its final disposition."""

    instant: datetime
    disposition: Disposition
    reason: str = ""
    run: str | None = None
    since: datetime | None = None
    evidence: Mapping[str, Json] = field(default_factory=dict)

    @property
    def starts(self) -> bool:
        """A run is to be made for it."""
        return self.run is None and self.disposition in STARTS


STARTS = frozenset({Disposition.STARTED, Disposition.LATE_STARTED})


def account(job: Job, owed: Owed, situation: Situation, now: datetime) -> list[Verdict]:
    """The verdicts on the older part of what is owed, oldest first; what is not in it stays owed."""
    return [*_span(job, owed, situation, now), *_Accounting(job, situation, now).verdicts(owed.instants)]


def _span(job: Job, owed: Owed, situation: Situation, now: datetime) -> Iterator[Verdict]:
    if owed.older is None:
        return
    since, until = owed.older
    accounting = _Accounting(job, situation, now)
    settled = accounting.gone(until) or accounting.surplus(until, owed.instants[-1] if owed.instants else until)
    yield Verdict(until, settled.disposition, settled.reason, since=since, evidence=settled.evidence)


@dataclass(frozen=True, slots=True)
class _Accounting:
    job: Job
    situation: Situation
    now: datetime

    @property
    def timing(self) -> Timing:
        return self.job.timing

    def verdicts(self, instants: Sequence[datetime]) -> Iterator[Verdict]:
        settled = {at: verdict for at in instants if (verdict := self.settled(at))}
        eligible = [at for at in instants if at not in settled]
        chosen = set(self._chosen(eligible))
        room, late_room = (0 if self._held() else len(instants)), self.situation.late_room
        for at in instants:
            verdict = settled.get(at)
            if verdict is None and at not in chosen:
                verdict = self.surplus(at, eligible[-1])
            if verdict is None:
                verdict = self._start(at)
                late_room -= verdict.disposition is Disposition.LATE_STARTED
                if room <= 0 or late_room < 0:
                    return
                room = room if self.timing.overlap is Overlap.ALLOW else 0
            yield verdict

    def settled(self, at: datetime) -> Verdict | None:
        """Decided whatever else is owed."""
        return self.gone(at) or self._made(at) or self._off(at) or self._expired(at) or self._overlapped(at)

    def gone(self, at: datetime) -> Verdict | None:
        if self.job.broken:
            return Verdict(at, Disposition.BLOCKED_INVALID, self.job.broken)
        return None

    def surplus(self, at: datetime, newest: datetime) -> Verdict:
        """Owed, but not among those that may still run."""
        if pause := self.situation.pause:
            return Verdict(at, Disposition.SKIPPED_PAUSED, pause.told)
        if self._age(at) > self.timing.window:
            return self._too_late(at)
        if self.timing.catch_up is CatchUp.LATEST:
            return Verdict(
                at,
                Disposition.COALESCED_INTO,
                "only the latest of several owed instants runs",
                evidence={"into": newest.isoformat()},
            )
        told = "none" if self.timing.catch_up is CatchUp.NONE else f"all, at most {self.timing.limit}"
        return Verdict(at, Disposition.MISSED_EXPIRED, f"catch_up is {told}")

    def _made(self, at: datetime) -> Verdict | None:
        run = self.situation.made.get(at)
        return Verdict(at, Disposition.STARTED, "a person ran it before it was accounted for", run) if run else None

    def _off(self, at: datetime) -> Verdict | None:
        objection = self.timing.calendar.objection(self._local(at))
        return Verdict(at, Disposition.SKIPPED_CALENDAR, objection) if objection else None

    def _expired(self, at: datetime) -> Verdict | None:
        late = self._age(at) > min(self.timing.window, self.timing.start_within or self.timing.window)
        if late and (pause := self.situation.pause):
            return Verdict(at, Disposition.SKIPPED_PAUSED, pause.told)
        return self._too_late(at) if late else None

    def _too_late(self, at: datetime) -> Verdict:
        limit = min(self.timing.window, self.timing.start_within or self.timing.window)
        return Verdict(
            at,
            Disposition.MISSED_EXPIRED,
            f"it was owed for longer than {limit}",
            evidence={"looked_at": self.now.isoformat()},
        )

    def _overlapped(self, at: datetime) -> Verdict | None:
        """What was owed before the unfinished run began only waits for it."""
        since = self.situation.running_since
        if since is None or at <= since or self.timing.overlap is not Overlap.SKIP:
            return None
        reason = "an earlier run of the job still goes on"
        return Verdict(at, Disposition.SKIPPED_OVERLAP, reason, evidence={"running_since": since.isoformat()})

    def _chosen(self, eligible: Sequence[datetime]) -> Sequence[datetime]:
        """The newest ones, as many as may still run."""
        if self.timing.catch_up is CatchUp.NONE and self.timing.overlap is not Overlap.QUEUE:
            return [at for at in eligible if self._age(at) <= LATE and not self.situation.pause]
        most = {CatchUp.NONE: 0, CatchUp.LATEST: 1, CatchUp.ALL: self.timing.limit}[self.timing.catch_up]
        if self.timing.overlap is Overlap.QUEUE:
            most = max(most, self.timing.queue)
        return eligible[-most:]

    def _held(self) -> bool:
        """Nothing may start at this moment."""
        running = self.situation.running_since is not None and self.timing.overlap is not Overlap.ALLOW
        return bool(running or self.situation.pause or self.timing.calendar.closed(self._local(self.now)))

    def _start(self, at: datetime) -> Verdict:
        late = self._age(at)
        evidence = {"late_seconds": late.total_seconds()} if late >= NOTABLE else {}
        if late <= LATE:
            return Verdict(at, Disposition.STARTED, evidence=evidence)
        return Verdict(at, Disposition.LATE_STARTED, f"{_rounded(late)} late", evidence=evidence)

    def _age(self, at: datetime) -> timedelta:
        return self.now - at - self.timing.delay(self.job.id)

    def _local(self, at: datetime) -> datetime:
        zone = self.job.schedule.timezone if self.job.schedule else self.job.timezone
        return at.astimezone(ZoneInfo(zone))


def _rounded(span: timedelta) -> str:
    return str(timedelta(seconds=round(span.total_seconds())))
