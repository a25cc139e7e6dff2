"""Carries one run: fold what arrived, do what comes next until nothing can be done, commit, launch.

The state on disk is never behind the world: an attempt is launched only after the commit that names it, and an
outcome counts only once its commit has returned. One commit an outcome carries the outcome, what it decides and
what starts next.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..domain.actions import (
    Action,
    Ask,
    StartAttempt,
    Wait,
)
from ..domain.backoff import LONGEST
from ..domain.consequences import consequence
from ..domain.digests import place
from ..domain.errors import Kind
from ..domain.events import (
    Answered,
    AttemptEnded,
    AttemptStarted,
    Decided,
    EffectAdopted,
    Event,
    Paced,
    RunClaimed,
    RunEnding,
)
from ..domain.job import LedgerRow
from ..domain.model import Attempt, Failed, Outcome, Purpose, Reconciled, Run, RunState
from ..domain.plan import Plan
from ..ports import (
    Call,
    EffectRow,
    EffectState,
    Ended,
    Message,
    MessageKind,
    Notice,
    Running,
    Severity,
)
from .answers import refusal
from .examine import examine
from .launch import launch
from .outside import Outside
from .prepare import Prepared, prepare
from .progress import Progress

Deliver = Callable[["Arrival"], None]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call came out; sent from whatever thread the runner uses to the one that carries the run."""

    step: str
    number: int
    ended: Ended


class Driver:
    """One run in the hands of this process. Not thread safe: whoever carries the run calls `advance`."""

    def __init__(
        self, outside: Outside, plan: Plan, run: Run, deliver: Deliver, ledger: LedgerRow | None = None
    ) -> None:
        self.draining = False
        """Start nothing new: the daemon is about to stop."""
        self._outside = outside
        self._plan = plan
        self._progress = Progress(outside, plan, run, ledger)
        self._deliver = deliver
        self._calls: list[tuple[Prepared, str]] = []
        self._flying: dict[tuple[str, int], tuple[Call, Running]] = {}
        """By step and number of the attempt."""

    @property
    def run(self) -> Run:
        """The run as last committed."""
        return self._progress.stored

    @property
    def busy(self) -> bool:
        """Something is in flight, so the run must stay in this process's hands."""
        return bool(self._flying)

    def advance(self, arrivals: Sequence[Arrival] = (), messages: Sequence[Message] = ()) -> Wait:
        """Take in what arrived and go on as far as possible. Raises Stale, StoreUnavailable.

        After either, this driver is worthless: memory is not trusted, the run is loaded again.
        """
        for arrival in arrivals:
            self._arrived(arrival)
        for message in messages:
            self._told(message)
        while not isinstance(action := self._next(), Wait):
            self._perform(action)
        self._flush()
        return action

    def claimed(self) -> None:
        """This process took the run over; what was in flight elsewhere is gone."""
        self._happened(RunClaimed(self._now(), self._outside.owner, self._progress.stored.epoch))

    def abandon(self) -> None:
        """Kill what is in flight: this process no longer owns the run, or is going away."""
        for _, running in self._flying.values():
            running.kill()

    def _stop_work(self) -> None:
        """The run is on its way out. A question to a receiver goes on: its answer is what the end waits for."""
        for call, running in self._flying.values():
            if call.purpose is not Purpose.RECONCILE:
                running.kill()

    # -- what arrives

    def _arrived(self, arrival: Arrival) -> None:
        if (arrival.step, arrival.number) not in self._flying:
            return  # said twice, or of a call that is no longer ours
        call, _ = self._flying.pop((arrival.step, arrival.number))
        step = self._plan.by_id[arrival.step]
        self._leave_alone(call, arrival.ended.outcome)
        outcome = examine(self._outside.artifacts, self._plan, step, call, arrival.ended)
        self._outside.artifacts.discard(call.workdir)
        self._happened(AttemptEnded(self._now(), arrival.step, arrival.number, outcome, arrival.ended.tail))

    def _leave_alone(self, call: Call, outcome: Outcome | Reconciled) -> None:
        """What a destination asks of one run it asks of all."""
        if isinstance(outcome, Failed) and outcome.retry_after:
            until = self._outside.clock.boot() + min(outcome.retry_after, LONGEST)
            self._outside.pacer.hold(place(self._plan.tools[call.tool], call.input), until)

    def _told(self, message: Message) -> None:
        run = self._progress.run
        if run.ending or run.state.ended:
            self._progress.read(message.id, "the run is over, or about to be")
            return
        reason = "" if message.kind is MessageKind.CANCEL else refusal(self._plan, run, message)
        self._progress.read(message.id, reason)
        if message.kind is MessageKind.CANCEL:
            self._happened(RunEnding(self._now(), RunState.CANCELLED, f"cancelled by {message.by}"))
        elif reason:
            self._outside.sink.notice(Notice("answer_refused", reason, Severity.INFO, run.job, run.id))
        else:
            body = message.body
            self._happened(
                Answered(self._now(), body["escalation"], body["option"], message.by, body.get("changes") or {})
            )

    # -- what comes next

    def _next(self) -> Action:
        action = self._outside.rules.next_action(self._plan, self._progress.run, self._now())
        return Wait() if self.draining and isinstance(action, StartAttempt | Ask) else action

    def _perform(self, action: Action) -> None:
        if isinstance(action, Ask):
            self._ask(action)
        elif isinstance(action, StartAttempt):
            self._start(action)
        else:
            self._happened(consequence(self._plan, self._progress.run, action, self._now()))

    def _ask(self, action: Ask) -> None:
        if self._outside.decider.takes_time(self._plan.job):
            self._flush()
        outside = self._outside
        decision = outside.rules.decide(outside.decider, self._plan, action, self._progress.run, self._now())
        self._happened(Decided(self._now(), action.step, decision))

    def _start(self, action: StartAttempt) -> None:
        step = self._plan.by_id[action.step]
        ready = prepare(self._outside, self._plan, self._progress.run, step, action.purpose)
        known = self._known_effect(ready)
        if known and known.state is EffectState.DELIVERED:
            self._happened(EffectAdopted(self._now(), step.id, known.key, known.output, known.summary))
            return
        if wait := self._turn(ready, step.id):
            self._happened(Paced(self._now(), step.id, self._now() + timedelta(seconds=wait)))
            return
        attempt = dataclasses.replace(ready.attempt, deadline=known.deadline) if known else ready.attempt
        self._happened(AttemptStarted(self._now(), step.id, attempt, ready.missing))
        if ready.failed or known:
            failed = ready.failed or Failed(Kind.UNKNOWN_OUTCOME, "an earlier run may have delivered this already")
            self._happened(AttemptEnded(self._now(), step.id, attempt.number, failed))
        else:
            self._calls.append((ready, step.id))

    def _turn(self, ready: Prepared, step: str) -> float:
        """Seconds until the destination takes the call; a question is asked at once, and a dry run lands nowhere."""
        call = ready.call
        if call is None or call.purpose is not Purpose.RUN or call.dry_run:
            return 0.0
        tool = self._plan.tools[call.tool]
        pace = tool.pace.total_seconds()
        who = f"{self._progress.run.id}/{step}"
        return self._outside.pacer.turn(place(tool, call.input), who, pace, ready.boot) if pace else 0.0

    def _known_effect(self, ready: Prepared) -> EffectRow | None:
        """An effect with this key that was delivered, or that another run may be delivering; never our own."""
        key, purpose = ready.attempt.effect_key, ready.attempt.purpose
        row = self._outside.store.effect(key) if key and purpose is Purpose.RUN else None
        if row is None or row.state is EffectState.VOID:
            return None
        return row if row.state is EffectState.DELIVERED or row.run != self._progress.run.id else None

    # -- what is launched once it is stored

    def _flush(self) -> None:
        """One transaction, then the world: whatever it started is launched, whatever it ended is killed."""
        self._progress.commit()
        calls, self._calls = self._calls, []
        for ready, step in calls:
            self._launch(ready, step)
        if self._progress.run.ending:
            self._stop_work()

    def _happened(self, event: Event) -> None:
        self._progress.happened(event)

    def _launch(self, ready: Prepared, step: str) -> None:
        call, number = ready.call, ready.attempt.number
        if call is None:
            raise ValueError(f"attempt {number} of {step!r} has nothing to launch")
        intent = self._intent(step, ready.attempt)
        running = launch(
            self._outside, call, intent, ready.boot, lambda ended: self._deliver(Arrival(step, number, ended))
        )
        self._flying[step, number] = (call, running)

    def _intent(self, step: str, attempt: Attempt) -> EffectRow | None:
        key, until = attempt.effect_key, attempt.deadline
        if key is None or attempt.purpose is not Purpose.RUN:
            return None
        return EffectRow(key, EffectState.INTENT, self._progress.run.id, step, attempt.number, until)

    def _now(self) -> datetime:
        return self._outside.clock.now()
