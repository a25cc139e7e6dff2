"""Bugs that were put in on purpose, each through a seam that the product has anyway."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta

from daemon.domain.actions import Action, Ask, BackOff, Escalate, Expire, FailStep, Finish, SkipStep, StartAttempt, Wait
from daemon.domain.birth import run_id
from daemon.domain.chain import Link
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, Event, RetryScheduled, RunClaimed
from daemon.domain.fold import fold
from daemon.domain.job import LedgerRow
from daemon.domain.model import Decision, Failed, Purpose, Reconciled, Run, RunState, StepRun, StepState, Verdict
from daemon.domain.plan import Plan
from daemon.domain.policy import next_action
from daemon.ports import (
    Activity,
    AlreadyDelivered,
    Birth,
    Call,
    Change,
    Decider,
    EffectRow,
    EffectState,
    Ended,
    Followed,
    Message,
    Running,
    Stale,
    Store,
    ToolRunner,
)
from daemon.runtime.rules import Rules
from daemon.testing.faults import DEFAULT, Faults
from daemon.testing.incarnation import Seams
from daemon.testing.memory_journal import MemoryJournal
from daemon.testing.receiver import Receiver
from daemon.testing.watched_store import WatchedStore


class Deaf:
    """A watch that hears nothing, so that a wrapper needs to write only what it changes."""

    def touch(self, *, writes: bool = False) -> None: ...

    def led(self, epoch: int | None) -> None: ...

    def born(self, births: Sequence[Birth], stored: Sequence[bool]) -> None: ...

    def claimed(self, run: Run) -> None: ...

    def committed(self, change: Change) -> None: ...


class Wrapped(WatchedStore):
    def __init__(self, inner: Store) -> None:
        super().__init__(inner, Deaf())
        self.inner = inner


class NoFence(Wrapped):
    """A commit is taken whatever its epoch and version are."""

    def commit(self, change: Change) -> None:
        try:
            self.inner.commit(change)
        except Stale:
            now = self.inner.load(change.after.id)
            after = replace(change.after, epoch=now.epoch, version=now.version + 1)
            self.inner.commit(replace(change, before=now, after=after))


class NoLease(Wrapped):
    """Births and claims do not name the lease, and everybody gets it."""

    def lead(self, owner: str, seconds: float) -> int | None:
        return self.inner.lead(owner, seconds) or 1

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:  # noqa: ARG002  # that is the bug
        return self.inner.claim(run_id, owner)


class DropsCommits(Wrapped):
    """Every fifth commit is acknowledged and not made."""

    count = 0

    def commit(self, change: Change) -> None:
        self.count += 1
        if self.count % 5:
            self.inner.commit(change)


class AcknowledgesEarly(Wrapped):
    """A commit is durable only when the store is next used: a crash right after it loses it."""

    waiting: Change | None = None

    def commit(self, change: Change) -> None:
        self._flush()
        self.waiting = change

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        self._flush()
        return self.inner.claim(run_id, owner, fence=fence)

    def load(self, run_id: str) -> Run:
        self._flush()
        return self.inner.load(run_id)

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        self._flush()
        return self.inner.due(now, owner, limit)

    def messages(self, run_id: str) -> list[Message]:
        self._flush()
        return self.inner.messages(run_id)

    def _flush(self) -> None:
        waiting, self.waiting = self.waiting, None
        if waiting is not None:
            self.inner.commit(waiting)


class ForgetsWakes(Wrapped):
    """A stored time is never due."""

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        early = datetime.min.replace(tzinfo=now.tzinfo)
        return self.inner.due(early, owner, limit)


class ForgetsReceipts(Wrapped):
    """What was delivered or is meant to be is not looked up, and not refused."""

    def effect(self, key: str) -> EffectRow | None:  # noqa: ARG002  # that is the bug
        return None

    def commit(self, change: Change) -> None:
        try:
            self.inner.commit(change)
        except AlreadyDelivered:
            events = [event for event in change.events if getattr(event, "attempt", None) is None]
            self.inner.commit(replace(change, events=tuple(events)))


class IgnoresIntents(ForgetsReceipts):
    """Only what was delivered is looked up: what another run may be delivering now is not."""

    def effect(self, key: str) -> EffectRow | None:
        row = self.inner.effect(key)
        return row if row and row.state is EffectState.DELIVERED else None


class ForgetsRows(Wrapped):
    """Instants that get no run are not written down."""

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),  # noqa: ARG002  # that is the bug
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        return self.inner.create(births, (), watermarks, owner=owner, fence=fence)


class ForgetsWatermarks(Wrapped):
    """After a restart every job is new."""

    def watermarks(self) -> Mapping[str, datetime]:
        return {}


class ForgetsIntents(MemoryJournal):
    """Nothing is written down beside the store."""

    def note(self, intent: EffectRow) -> None: ...


class LosesChains(Wrapped):
    """Only who saw a run end has others follow it: what ended before a crash is followed by nobody."""

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        found = self.inner.followed(follower, link, since, also)
        return replace(found, owed=[]) if since is None else found


class FollowsTheClock(Wrapped):
    """What ended before the job began to follow is not followed, although the clock was only set back."""

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        found = self.inner.followed(follower, link, since, also)
        return replace(found, owed=[one for one in found.owed if one.ended_at > link.after])


class FollowsAgain(Wrapped):
    """After a crash every success is followed anew, by a run of another revision."""

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        return self.inner.followed("nobody" if since is None else follower, link, since, also)

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        return replace(self.inner.activity(jobs, since), made={})

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        return self.inner.create([*map(self._anew, births)], rows, watermarks, owner=owner, fence=fence)

    def _anew(self, birth: Birth) -> Birth:
        latest = self.inner.latest(birth.run.job, birth.run.instant)
        if latest is None or birth.run.cause != "chain":
            return birth
        again = latest.revision + 1
        run = replace(birth.run, id=run_id(latest.job, latest.instant, again), revision=again)
        return replace(birth, run=run, ledger=None)


class NeverFound(Receiver):
    """Whatever it has, it says that it has nothing."""

    def reconcile(self, call: Call) -> Reconciled:  # noqa: ARG002  # that is the bug
        return Reconciled(Verdict.NOT_FOUND)


class NewKeys:
    """The effect key changes with every attempt."""

    def __init__(self, inner: ToolRunner) -> None:
        self._inner = inner

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        key = f"{call.effect_key}/{call.id}" if call.effect_key else None
        return self._inner.start(replace(call, effect_key=key), on_end)

    def close(self) -> None:
        self._inner.close()


class NoDeadlines:
    """Calls get a day, whatever their step says; what was frozen may still send."""

    def __init__(self, inner: ToolRunner) -> None:
        self._inner = inner

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        return self._inner.start(replace(call, deadline=call.deadline + timedelta(days=1), expires=None), on_end)

    def close(self) -> None:
        self._inner.close()


def after_fold(change: Callable[[Run, Run, Event], Run]) -> Rules:
    """The real fold, and then a bug."""

    def buggy(plan: Plan, run: Run, event: Event) -> Run:
        return change(run, fold(plan, run, event), event)

    return Rules(fold=buggy)


def instead(change: Callable[[Plan, Run, datetime, Action], Action]) -> Rules:
    """The real policy, and then another mind."""

    def buggy(plan: Plan, run: Run, now: datetime) -> Action:
        return change(plan, run, now, next_action(plan, run, now))

    return Rules(next_action=buggy)


def each(run: Run, change: Callable[[StepRun], StepRun]) -> Run:
    return replace(run, steps={name: change(step) for name, step in run.steps.items()})


def forget_tries(before: Run, run: Run, event: Event) -> Run:
    return each(run, lambda step: replace(step, tries=0)) if isinstance(event, AttemptEnded) else run


def forget_crashes(before: Run, run: Run, event: Event) -> Run:
    return each(run, lambda step: replace(step, crashes=0)) if isinstance(event, RunClaimed) else run


def forget_doubt(before: Run, run: Run, event: Event) -> Run:
    """An effect that may have happened is taken for one that has not."""
    return each(run, lambda step: replace(step, unknown=None))


def forget_done(before: Run, run: Run, event: Event) -> Run:
    """A new owner begins at the first step."""
    if not isinstance(event, RunClaimed):
        return run
    return each(run, lambda s: replace(s, state=StepState.READY, output=None) if s.state is StepState.DONE else s)


def forget_wakes(before: Run, run: Run, event: Event) -> Run:
    """A back-off ends at once."""
    if not isinstance(event, RetryScheduled):
        return run
    return replace(run, steps={**run.steps, event.step: replace(run.steps[event.step], wake_at=event.at)})


def not_settled(before: Run, run: Run, event: Event) -> Run:
    """`not_found` counts at once, however far the receiver's history lags."""
    if not (isinstance(event, AttemptEnded) and isinstance(event.outcome, Reconciled)):
        return run
    if event.outcome.verdict is not Verdict.NOT_FOUND:
        return run
    step = replace(run.steps[event.step], unknown=None, wake_at=None)
    return replace(run, steps={**run.steps, event.step: step})


def no_limits(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    """There is always one more try."""
    if isinstance(action, FailStep | SkipStep) and run.steps[action.step].failure:
        return BackOff(action.step, now + timedelta(seconds=1))
    return action


def always_green(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    return Finish(RunState.SUCCEEDED, "") if isinstance(action, Finish) else action


def degraded_at_most(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    failed = isinstance(action, Finish) and action.state is RunState.FAILED and run.ending is None
    return Finish(RunState.DEGRADED, action.reason) if failed and isinstance(action, Finish) else action


def never_expires(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    return Wait() if isinstance(action, Expire) else action


def never_asks(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    """What a person should be asked is dropped."""
    if isinstance(action, Escalate):
        return FailStep(action.step, Failed(Kind.TRANSIENT, "nobody was asked"), "nobody was asked")
    return action


def blind_repeat(plan: Plan, run: Run, now: datetime, action: Action) -> Action:
    """Instead of asking the receiver, send again."""
    again = isinstance(action, StartAttempt) and action.purpose is Purpose.RECONCILE
    return StartAttempt(action.step, Purpose.RUN) if again and isinstance(action, StartAttempt) else action


def unguarded(decider: Decider, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
    return decider.decide(plan, ask, run, now)


ROUGH = replace(DEFAULT, tool=0.8, nonsense=0.1)
FREEZING = replace(DEFAULT, freeze=0.1, crash=0.0, outage=0.0)
CHAINED = replace(DEFAULT, follows=1.0, kill=1.0, crash=0.1, tool=0.1)
LATE = replace(DEFAULT, kill=1.0, crash=0.2)
RESTORED = replace(DEFAULT, restore=1.0)
OVERLAPPING = replace(DEFAULT, overlap=1.0)

PLANTED: Mapping[str, tuple[Seams, Faults]] = {
    "the fence is removed": (Seams(store=NoFence), FREEZING),
    "the lease is not named": (Seams(store=NoLease), FREEZING),
    "commits are dropped": (Seams(store=DropsCommits), DEFAULT),
    "a commit is acknowledged before it is durable": (Seams(store=AcknowledgesEarly), DEFAULT),
    "stored times are never due": (Seams(store=ForgetsWakes), DEFAULT),
    "receipts are not adopted": (Seams(store=ForgetsReceipts), DEFAULT),
    "what another run may be sending now is not asked about": (Seams(store=IgnoresIntents), OVERLAPPING),
    "what was meant since the backup is forgotten": (Seams(journal=ForgetsIntents), RESTORED),
    "coalesced instants leave no row": (Seams(store=ForgetsRows), LATE),
    "watermarks are lost": (Seams(store=ForgetsWatermarks), LATE),
    "what ended before a crash is not followed": (Seams(store=LosesChains), CHAINED),
    "a chain follows the wall clock": (Seams(store=FollowsTheClock), replace(CHAINED, clock=1.0)),
    "a chain fires twice over a crash": (Seams(store=FollowsAgain), CHAINED),
    "reconcile always says not found": (Seams(receiver=NeverFound), DEFAULT),
    "the effect key changes with every attempt": (Seams(runner=NewKeys), DEFAULT),
    "nothing is too late to be sent": (Seams(runner=NoDeadlines), FREEZING),
    "the limit of tries is ignored": (Seams(rules=instead(no_limits)), ROUGH),
    "tries are forgotten": (Seams(rules=after_fold(forget_tries)), ROUGH),
    "crashes are not counted": (Seams(rules=after_fold(forget_crashes)), DEFAULT),
    "a back-off ends at once": (Seams(rules=after_fold(forget_wakes)), ROUGH),
    "the unknown window is forgotten": (Seams(rules=after_fold(forget_doubt)), DEFAULT),
    "finished steps are forgotten on resume": (Seams(rules=after_fold(forget_done)), DEFAULT),
    "not_found counts before the settling time": (Seams(rules=after_fold(not_settled)), DEFAULT),
    "every end is green": (Seams(rules=instead(always_green)), DEFAULT),
    "a failed run is called degraded": (Seams(rules=instead(degraded_at_most)), ROUGH),
    "questions never expire": (Seams(rules=instead(never_expires)), ROUGH),
    "nobody is asked": (Seams(rules=instead(never_asks)), ROUGH),
    "an unknown effect is blindly repeated": (Seams(rules=instead(blind_repeat)), DEFAULT),
    "decisions are not guarded": (Seams(rules=Rules(decide=unguarded)), DEFAULT),
}
