"""What a failure leads to: a repair, another try, a decider's choice, a person's, or the end of the step."""

from __future__ import annotations

from datetime import datetime

from .actions import ABORT, RETRY, SKIP, Action, Ask, BackOff, Escalate, FailStep, SkipStep
from .backoff import delay
from .errors import RULES, Kind
from .limits import run_deadline, start
from .model import Failed, Letter, Purpose, Run, StepRun
from .plan import Decide, Exhausted, Plan, Step

OUTAGE = frozenset({Kind.TRANSIENT, Kind.UNKNOWN_OUTCOME})
"""What a receiver that is down looks like: it is waited for as long as `retry.within` says."""


def answer_failure(plan: Plan, run: Run, step: Step, at: StepRun, failure: Failed, now: datetime) -> Action | None:
    if at.crashes >= plan.limits.crashes + at.grace:
        return crashed(step, at)
    if at.disputed:
        return Escalate(step.id, _question(step, failure, "the decider gave up"), (RETRY, SKIP, ABORT))
    if at.given_up:
        return _exhausted(step, failure)
    if RULES[failure.kind].repair and step.repair and not at.repaired:
        return start(plan, run, step.id, Purpose.REPAIR)
    if failure.kind is Kind.INTERRUPTED:
        return start(plan, run, step.id, Purpose.RUN)
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
    return f"{step.title or step.id} failed and {why}. {failure.told}"


def crashed(step: Step, at: StepRun) -> Action:
    crashed = Failed(Kind.CRASHED, f"the daemon stopped {at.crashes} times while this step was running")
    return _exhausted(step, crashed)
