"""Watches a simulated history and knows the invariants of the design by number, from what is seen outside alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from daemon.domain.actions import DELIVERED
from daemon.domain.birth import job_of
from daemon.domain.events import (
    AttemptEnded,
    AttemptStarted,
    Decided,
    Escalated,
    Event,
    Paced,
    RetryScheduled,
    RunClaimed,
)
from daemon.domain.model import Failed, Letter, Purpose, Run, RunState, StepState
from daemon.domain.plan import Exhausted, Plan, Step
from daemon.ports import Birth, Call, Change

from .fake_clock import FakeClock

NOW = 0.001
"""Seconds that virtual time may be off by rounding."""
MOST_VIOLATIONS = 100
"""A history with so many may well never end."""


class Hopeless(BaseException):
    """The history is not played to its end; no part of it may swallow this."""


@dataclass(slots=True)
class Seen:
    """What happened to one step of one run."""

    runs: int = 0
    others: int = 0
    until: datetime | None = None
    """When its last wait is over."""
    decisions: int = 0
    escalated: bool = False
    """A person was asked anything."""
    asked: bool = False
    """A person was asked whether it was delivered."""


@dataclass
class Witness:
    """`violations` says what went wrong, each with the number of its invariant; `trace` everything that happened."""

    clock: FakeClock
    plans: Mapping[str, Plan]
    """By job."""
    violations: list[str] = field(default_factory=list)
    trace: list[tuple[float, str, str, object]] = field(default_factory=list)
    runs: dict[str, Run] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    seen: defaultdict[tuple[str, str], Seen] = field(default_factory=lambda: defaultdict(Seen))
    granted: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Retries that a person answered, by run and step."""
    adopted: datetime | None = None
    """When the job was first seen: what was due before is not owed."""
    lost: tuple[float, float] = (0.0, 0.0)
    """From when to when, by the boot clock, the store has forgotten what happened."""
    _remembered: dict[tuple[str, str], Seen] = field(default_factory=dict)
    _started: dict[str, str] = field(default_factory=dict)
    _epochs: dict[str, int] = field(default_factory=dict)
    _launched: dict[str, tuple[str, float, float]] = field(default_factory=dict)

    def plan_of(self, run: str) -> Plan:
        return self.plans[job_of(run)]

    def say(self, who: str, run: str, what: object) -> None:
        self.trace.append((self.clock.boot(), who, run, what))

    def broken(self, invariant: int, what: str) -> None:
        self.violations.append(f"invariant {invariant}: {what}")
        if len(self.violations) >= MOST_VIOLATIONS:
            raise Hopeless

    def backed_up(self) -> None:
        """What is seen from here on may be forgotten by the store, never by the world."""
        self._remembered, self.lost = (
            {key: replace(one) for key, one in self.seen.items()},
            (self.clock.boot(), float("inf")),
        )

    def restored(self) -> None:
        """Runs go on from where the backup has them; epochs count from there as well."""
        self.say("", "", "the store is put back")
        self.seen, self.lost = defaultdict(Seen, self._remembered), (self.lost[0], self.clock.boot())
        self._epochs.clear()

    def led(self, who: str, epoch: int | None) -> None:
        self._epochs[who] = max(epoch or 0, self._epochs.get(who, 0))

    def _leads(self, who: str) -> bool:
        return self._epochs.get(who, 0) == max(self._epochs.values(), default=0)

    def born(self, who: str, births: Sequence[Birth], stored: Sequence[bool]) -> None:
        self.adopted = self.adopted or self.clock.now()
        for birth, new in zip(births, stored, strict=True):
            if new:
                self.runs[birth.run.id] = birth.run
                self.say(who, birth.run.id, "born")
        if any(stored) and who in self._epochs and not self._leads(who):
            self.broken(9, f"{who} fired although another leads")

    def claimed(self, who: str, run: Run) -> None:
        self.owners[run.id] = who
        self.runs[run.id] = run
        self.say(who, run.id, f"claimed under epoch {run.epoch}")
        if not self._leads(who):
            self.broken(9, f"{who} claimed {run.id} although another leads")

    def committed(self, who: str, change: Change) -> None:
        run = change.after
        if self.owners.get(run.id) != who:
            self.broken(9, f"{who} committed to {run.id}, which belongs to {self.owners.get(run.id)}")
        self._finished_stay(change)
        for event in change.events:
            self.say(who, run.id, event)
            self._event(who, change, event)
        self.runs[run.id] = run
        if run.state.ended:
            self._ended(run)

    def launched(self, who: str, call: Call) -> None:
        """The runner was told to start this call."""
        run, step_id, _ = call.id.rsplit(".", 2)
        step = self.plan_of(run).by_id[step_id]
        self.say(who, run, f"launches {call.purpose} {step_id}")
        if self._started.get(call.id) != who:
            self.broken(3, f"{call.id} was launched before the commit that names it")
        self._launched[call.id] = (who, self.clock.boot(), call.seconds)
        self._confined(step, call)

    # -- while it goes on

    def _finished_stay(self, change: Change) -> None:
        before, after = change.before, change.after
        if before.state.ended:
            self.broken(10, f"{after.id} was changed after its end")
        for name, was in before.steps.items():
            now = after.steps[name]
            if was.state is StepState.DONE and (now.state is not StepState.DONE or now.output != was.output):
                self.broken(2, f"{after.id}: the finished step {name} changed")
            if was.state.ended and now.started != was.started:
                self.broken(2, f"{after.id}: the finished step {name} ran again")

    def _event(self, who: str, change: Change, event: Event) -> None:
        run = change.after.id
        if isinstance(event, AttemptStarted):
            self._attempt(who, change, event)
        elif isinstance(event, AttemptEnded):
            self._outcome(who, run, event)
        elif isinstance(event, Decided):
            self.seen[run, event.step].decisions += 1
            self._decision(run, change, event)
        elif isinstance(event, RetryScheduled | Paced):
            self.seen[run, event.step].until = event.until
        elif isinstance(event, Escalated) and event.escalation.step:
            self.seen[run, event.escalation.step].until = None
            asked = DELIVERED in event.escalation.options
            self.seen[run, event.escalation.step].asked |= asked
            self.seen[run, event.escalation.step].escalated = True

    def _attempt(self, who: str, change: Change, event: AttemptStarted) -> None:
        run, seen = change.after.id, self.seen[change.after.id, event.step]
        self._started[f"{run}.{event.step}.{event.attempt.number}"] = who
        was = change.before.steps.get(event.step)
        if was is not None and was.state is StepState.DONE:
            self.broken(2, f"{run}: the finished step {event.step} ran again")
        waited, seen.until = seen.until, None
        if waited and event.at < waited and event.attempt.purpose in {Purpose.RUN, Purpose.PROBE}:
            self.broken(4, f"{run}: {event.step} began at {event.at}, before its wait until {waited} was over")
        seen.runs += event.attempt.purpose is Purpose.RUN
        seen.others += event.attempt.purpose in {Purpose.RECONCILE, Purpose.REPAIR}
        plan, granted = self.plan_of(run), self.granted[run, event.step]
        most = plan.by_id[event.step].retry.attempts + plan.limits.crashes + 2 * granted + 1
        if seen.runs > most:
            self.broken(4, f"{run}: {event.step} was tried {seen.runs} times, more than {most}")
        if seen.others > 6 * most + plan.limits.crashes:
            self.broken(4, f"{run}: {event.step} was asked about {seen.others} times")

    def _outcome(self, who: str, run: str, event: AttemptEnded) -> None:
        if isinstance(event.outcome, Failed):
            return
        launch = self._launched.get(f"{run}.{event.step}.{event.number}")
        if launch is None or launch[0] != who:
            self.broken(8, f"{run}: {who} took an outcome of {event.step} that it did not launch")
        elif self.clock.boot() > launch[1] + launch[2] + NOW and who not in self.thawed:
            self.broken(8, f"{run}: {event.step} came out after its deadline")

    thawed: set[str] = field(default_factory=set)
    """Processes that were frozen once: what came out in time may have waited for them."""

    def _decision(self, run: str, change: Change, event: Decided) -> None:
        step, decision = self.plan_of(run).by_id[event.step], event.decision
        failed = change.before.steps[event.step].failure if change.before.steps else None
        ended = (AttemptEnded, RunClaimed)
        failed_now = any(isinstance(e, ended) and getattr(e, "step", event.step) == event.step for e in change.events)
        if decision.letter is not Letter.C and decision.tool != step.use:
            self.broken(5, f"{run}: a decider reached {decision.tool} for {event.step}")
        if set(decision.input) - set(step.open):
            self.broken(5, f"{run}: a decider changed locked inputs of {event.step}")
        without = step.fallback or step.optional or step.on_exhausted is Exhausted.SKIP
        goes_on = decision.letter is Letter.A
        if (goes_on and failed and not without) or not (goes_on or failed or failed_now):
            self.broken(5, f"{run}: a decider chose {decision.letter} for {event.step} where that is no move")
        if self.seen[run, event.step].decisions > 20 * (self.granted[run, event.step] + 1):
            self.broken(4, f"{run}: {event.step} was decided about again and again")

    def _confined(self, step: Step, call: Call) -> None:
        others = {
            Purpose.REPAIR: step.repair.use if step.repair else "",
            Purpose.PROBE: step.fresh.use if step.fresh else "",
        }
        if call.tool != others.get(call.purpose, step.use):
            self.broken(5, f"{call.id} runs {call.tool}")
        if call.purpose not in others and call.input.get("to") != step.inputs.get("to"):
            self.broken(5, f"{call.id} goes to {call.input.get('to')}")

    def _ended(self, run: Run) -> None:
        undone = [name for name, step in run.steps.items() if step.state is not StepState.DONE]
        undone = [name for name in undone if not self._spared(run, name)]
        if run.state is RunState.SUCCEEDED and undone:
            self.broken(10, f"{run.id} succeeded without {', '.join(undone)}")
        gated = {step.id for step in self.plan_of(run.id).steps if step.fresh}
        if ungated := [name for name in gated if run.steps[name].state is StepState.DONE and not run.steps[name].fresh]:
            self.broken(10, f"{run.id} did {', '.join(ungated)} before the source was complete or waited for")
        if run.state is RunState.SUCCEEDED and any(run.steps[name].stale for name in gated):
            self.broken(10, f"{run.id} succeeded although a source was not complete")
        if run.state is not RunState.SUCCEEDED and not run.reason:
            self.broken(10, f"{run.id} ended {run.state} and does not say why")
        if run.state is RunState.DEGRADED and (lost := [name for name in undone if self._final(run, name)]):
            self.broken(10, f"{run.id} is only degraded without {', '.join(lost)}")

    def _spared(self, run: Run, name: str) -> bool:
        """It would have stood in for a step that is done."""
        original = self.plan_of(run.id).originals.get(name)
        return original is not None and run.steps[original].state is StepState.DONE

    def _final(self, run: Run, name: str) -> bool:
        """Nobody could have done without it, and nobody stood in for it."""
        plan = self.plan_of(run.id)
        if (fallback := plan.by_id[name].fallback) and run.steps[fallback].state is StepState.DONE:
            return False
        name = plan.originals.get(name, name)
        return not (plan.by_id[name].optional or plan.dependants[name] or plan.weak_dependants[name])
