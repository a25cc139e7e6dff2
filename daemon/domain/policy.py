"""What happens next: one pure, total function, and the only place where a run changes its mind.

No clock, no randomness, no I/O; time comes in as an argument. Resuming after a crash is the same call on the
loaded run. The answer is always one action; whoever performs it folds the event that it makes and asks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from . import stand_in
from .backoff import delay
from .errors import RULES, Kind
from .model import Ending, Failed, Letter, Purpose, Run, RunState, StepRun, StepState, Verdict
from .plan import Decide, Exhausted, Fresh, Plan, Step
from .verdict import verdict
from .wake import wakes

RETRY, SKIP, ABORT = "retry", "skip", "abort"
APPROVE, REJECT, DELIVERED = "approve", "reject", "delivered"
MAX_ASKS = 3
"""How often a receiver that cannot tell is asked before a person is."""
LONGEST_ABSENCE = timedelta(minutes=5)
"""The longest pause between two tries to reach a receiver that is away; it is waited for until the run's deadline."""


OUTAGE = frozenset({Kind.TRANSIENT, Kind.UNKNOWN_OUTCOME})
"""What a receiver that is down looks like: it is waited for as long as `retry.within` says."""


@dataclass(frozen=True, slots=True)
class Begin:
    """The run starts."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A decider is to choose among `allowed`; `rule` is what the rule would choose, and why."""

    step: str
    allowed: tuple[Letter, ...]
    rule: Letter
    reason: str


@dataclass(frozen=True, slots=True)
class StartAttempt:
    step: str
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class BackOff:
    step: str
    until: datetime


@dataclass(frozen=True, slots=True)
class GoOn:
    """The source of a step is waited for no longer."""

    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Escalate:
    """A person is to choose among `options`."""

    step: str
    question: str
    options: tuple[str, ...]
    default: str = ABORT


@dataclass(frozen=True, slots=True)
class Expire:
    """Nobody answered in time: the question's default holds."""

    escalation: str


@dataclass(frozen=True, slots=True)
class SkipStep:
    step: str
    cause: str


@dataclass(frozen=True, slots=True)
class FailStep:
    step: str
    failure: Failed
    cause: str


@dataclass(frozen=True, slots=True)
class WindDown:
    """A limit of the whole run is reached."""

    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class Finish:
    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do before `until`, or before something arrives (None)."""

    until: datetime | None = None


Action: TypeAlias = (
    Begin | Ask | StartAttempt | BackOff | GoOn | Escalate | Expire | SkipStep | FailStep | WindDown | Finish | Wait
)


def next_action(plan: Plan, run: Run, now: datetime) -> Action:
    """The one thing to do now. Only `Wait` means that nothing can be done."""
    if run.state.ended:
        return Wait()
    if run.state is RunState.QUEUED:
        return Begin()
    if run.ending:
        return _wind_down(plan, run, run.ending, now)
    return next(_candidates(plan, run, now), None) or _conclude(plan, run, now)


def _candidates(plan: Plan, run: Run, now: datetime) -> Iterator[Action]:
    if reason := _over_limit(plan, run, now):
        yield WindDown(RunState.FAILED, reason)
    for at in run.steps.values():
        if at.closes:
            yield WindDown(RunState.SUCCEEDED, f"nothing to go on with: {at.summary}")
    for question in run.escalations.values():
        if question.expires_at <= now:
            yield Expire(question.id)
    for step in plan.steps:
        if action := _step_action(plan, run, step, now):
            yield action


def _over_limit(plan: Plan, run: Run, now: datetime) -> str:
    limits = plan.limits
    if run.active_seconds > limits.active.total_seconds():
        return f"budget exceeded: more than {limits.active} of active time"
    if now >= run_deadline(plan, run):
        return f"budget exceeded: not finished within {limits.deadline}"
    return ""


def run_deadline(plan: Plan, run: Run) -> datetime:
    """When the run is ended whatever it waits for."""
    return (run.started_at or run.queued_at) + plan.limits.deadline


def _conclude(plan: Plan, run: Run, now: datetime) -> Action:
    if not all(step.state.ended for step in run.steps.values()):
        # A back-off that is over but finds no room waits for an outcome, not for its own past.
        coming = (at for at in wakes(run) if at > now)
        return Wait(min([run_deadline(plan, run), *coming]))
    return Finish(*verdict(plan, run))


def _step_action(plan: Plan, run: Run, step: Step, now: datetime) -> Action | None:
    at = run.steps[step.id]
    if at.state is StepState.PENDING:
        return _cut_off(plan, run, step)
    if at.state is StepState.READY:
        return _before_start(plan, run, step, at, now)
    if at.state is StepState.RUNNING:
        return _while_running(plan, run, step, at, now)
    return None


def _cut_off(plan: Plan, run: Run, step: Step) -> Action | None:
    """A step whose strong need will never be met, or that has nothing to stand in for, is skipped with the cause."""
    for need in step.needs:
        at = stand_in.provider(plan, run, need)
        if at.state in (StepState.FAILED, StepState.SKIPPED):
            verb = "failed" if at.state is StepState.FAILED else "was skipped"
            return SkipStep(step.id, f"needs {need}, which {verb}: {at.cause}")
    if cause := stand_in.spared(plan, run, step):
        return SkipStep(step.id, cause)
    return None


def _before_start(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    if step.fresh and not at.fresh:
        return _gate(plan, run, step, step.fresh, at, now)
    if step.approve and not at.approved:
        return Escalate(step.id, f"Approve {step.title or step.id}?", (APPROVE, REJECT, ABORT))
    if plan.decide is Decide.ALWAYS and not at.cleared and not at.given_up:
        return Ask(step.id, (Letter.A,), Letter.A, "its needs are met")
    return _start(plan, run, step.id, Purpose.RUN)


def _gate(plan: Plan, run: Run, step: Step, gate: Fresh, at: StepRun, now: datetime) -> Action | None:
    """The source is probed until it is complete; the waits between are stored times, as those of a back-off."""
    if at.crashes >= plan.limits.crashes + at.grace:
        return _crashed(step, at)
    if at.probed_since is None or not at.stale:
        return _start(plan, run, step.id, Purpose.PROBE)
    until = at.probed_since + gate.at_most
    if now >= until:
        return GoOn(step.id, f"{gate.use} was waited for from {at.probed_since:%H:%MZ} to {now:%H:%MZ}: {at.stale}")
    return BackOff(step.id, min(now + gate.every, until))


def _crashed(step: Step, at: StepRun) -> Action:
    crashed = Failed(Kind.CRASHED, f"the daemon stopped {at.crashes} times while this step was running")
    return _exhausted(step, crashed)


def _start(plan: Plan, run: Run, step: str, purpose: Purpose) -> Action | None:
    flying = sum(1 for other in run.steps.values() if other.attempt)
    return StartAttempt(step, purpose) if flying < plan.limits.parallel else None


def _while_running(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    """A running step is in exactly one place; see StepRun."""
    if at.attempt or at.escalation:
        return None
    if at.wake_at:
        return _awake(plan, run, step, at) if at.wake_at <= now else None
    if at.unknown:
        return _resolve_unknown(plan, run, step, at, now)
    if at.failure:
        return _answer_failure(plan, run, step, at, at.failure, now)
    return _before_start(plan, run, step, at, now)


def _awake(plan: Plan, run: Run, step: Step, at: StepRun) -> Action | None:
    if step.fresh and not at.fresh:
        return _start(plan, run, at.step, Purpose.PROBE)
    return _start(plan, run, at.step, Purpose.RECONCILE if at.unknown else Purpose.RUN)


def _resolve_unknown(plan: Plan, run: Run, step: Step, at: StepRun, now: datetime) -> Action | None:
    """An effect that may have happened is never blindly repeated and never silently dropped: its receiver is asked."""
    if at.verdict is Verdict.AWAY and at.unreached:
        return BackOff(step.id, now + _absence(step, at))
    if at.verdict is Verdict.CANNOT_TELL and at.asks:
        if at.asks >= MAX_ASKS:
            question = f"{step.title or step.id}: it is not known whether this was delivered. {_said(at.failure)}"
            return Escalate(step.id, question, (DELIVERED, RETRY, SKIP, ABORT))
        return BackOff(step.id, now + step.retry.first * 2**at.asks)
    return _start(plan, run, step.id, Purpose.RECONCILE)


def _absence(step: Step, at: StepRun) -> timedelta:
    asked = timedelta(seconds=(at.failure.retry_after or 0.0) if at.failure else 0.0)
    own: timedelta = step.retry.first * 2 ** min(at.unreached, 10)
    return min(max(asked, own), LONGEST_ABSENCE)


def _answer_failure(plan: Plan, run: Run, step: Step, at: StepRun, failure: Failed, now: datetime) -> Action | None:
    if at.crashes >= plan.limits.crashes + at.grace:
        return _crashed(step, at)
    if at.disputed:
        return Escalate(step.id, _question(step, failure, "the decider gave up"), (RETRY, SKIP, ABORT))
    if at.given_up:
        return _exhausted(step, failure)
    if RULES[failure.kind].repair and step.repair and not at.repaired:
        return _start(plan, run, step.id, Purpose.REPAIR)
    if failure.kind is Kind.INTERRUPTED:
        return _start(plan, run, step.id, Purpose.RUN)
    return _retry_or_not(plan, run, step, at, failure, now)


def _retry_or_not(plan: Plan, run: Run, step: Step, at: StepRun, failure: Failed, now: datetime) -> Action | None:
    until = now + delay(run.id, step.retry, at, failure)
    may = _may_retry(step, at, failure, until) and until < run_deadline(plan, run)
    if at.cleared and may:
        return BackOff(step.id, until)
    if not at.cleared and (plan.decide is Decide.ALWAYS or RULES[failure.kind].ask):
        return _ask_after(step, at, failure, may)
    return BackOff(step.id, until) if may else _exhausted(step, failure)


def _may_retry(step: Step, at: StepRun, failure: Failed, until: datetime) -> bool:
    """Whether the rule would try again; a decider that was asked may, within the step's own limit."""
    if step.retry.within and at.started_at and failure.kind in OUTAGE:
        return until < at.started_at + step.retry.within
    rule = RULES[failure.kind].attempts
    own = step.retry.attempts
    limit = own if rule is None or (at.cleared and RULES[failure.kind].ask) else min(rule, own)
    return at.tries < limit + at.grace


def _ask_after(step: Step, at: StepRun, failure: Failed, may: bool) -> Action:
    open_choice = RULES[failure.kind].ask and at.tries < step.retry.attempts + at.grace
    allowed = (Letter.B, Letter.C) if may or open_choice else (Letter.C,)
    if not may and (step.fallback or step.optional or step.on_exhausted is Exhausted.SKIP):
        # The failure is final, and the plan says that the run can do without this step.
        allowed = (Letter.A, *allowed)
    rule = Letter.B if may else Letter.A if step.fallback else Letter.C
    return Ask(step.id, allowed, rule, f"{failure.kind}: {failure.message}")


def _exhausted(step: Step, failure: Failed) -> Action:
    cause = f"{failure.kind}: {failure.message}"
    if step.fallback:
        return FailStep(step.id, failure, cause)
    if step.on_exhausted is Exhausted.SKIP:
        return SkipStep(step.id, cause)
    if step.on_exhausted is Exhausted.FAIL or step.optional:
        return FailStep(step.id, failure, cause)
    return Escalate(step.id, _question(step, failure, "no tries are left"), (RETRY, SKIP, ABORT))


def _question(step: Step, failure: Failed, why: str) -> str:
    return f"{step.title or step.id} failed and {why}. {_said(failure)}"


def _said(failure: Failed | None) -> str:
    if failure is None:
        return ""
    return f"{failure.kind}: {failure.message}" + (f" ({failure.hint})" if failure.hint else "")


def _wind_down(plan: Plan, run: Run, ending: Ending, now: datetime) -> Action:
    """Nothing new starts. What is in flight is being killed; an effect that may have happened is asked about."""
    for step in plan.steps:
        at = run.steps[step.id]
        if at.state is not StepState.RUNNING or not at.unknown:
            continue
        if action := _settle_unknown(at, now):
            return action
    if waits := [at.wake_at for at in run.steps.values() if at.wake_at and at.unknown and _asked(at) < MAX_ASKS]:
        return Wait(min(waits))
    if any(at.attempt for at in run.steps.values()):
        return Wait()
    return Finish(ending.state, _with_unknown(run, ending.reason))


def _settle_unknown(at: StepRun, now: datetime) -> Action | None:
    if at.attempt or _asked(at) >= MAX_ASKS or (at.wake_at and at.wake_at > now):
        return None
    if at.wake_at is None and _asked(at):
        return BackOff(at.step, now + timedelta(seconds=2 ** _asked(at)))
    return StartAttempt(at.step, Purpose.RECONCILE)


def _asked(at: StepRun) -> int:
    """A run that is over waits for nobody who is away."""
    return at.asks + at.unreached


def _with_unknown(run: Run, reason: str) -> str:
    unknown = [at.step for at in run.steps.values() if at.unknown and at.state is StepState.RUNNING]
    return f"{reason}; it is not known whether {', '.join(unknown)} was delivered" if unknown else reason
