"""From a step to a call: inputs resolved and checked on the daemon's side, before anything is spent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..domain import stand_in
from ..domain.birth import run_id
from ..domain.calendar import previous_month, previous_week
from ..domain.compatible import incompatible
from ..domain.digests import attempt_id, digest, effect_key
from ..domain.errors import ClockwrightError, Kind
from ..domain.limits import run_deadline
from ..domain.model import Attempt, DataDate, Failed, Json, Period, Purpose, Run, StepRun, StepState
from ..domain.plan import Plan, Step
from ..domain.references import EARLIER, Unresolved, references, resolve
from ..domain.tool import Effect, ToolSpec
from ..ports import Artifacts, Call
from .contracts import check_input
from .outside import Outside

SPILLED = "$spilled"
"""Key of the reference that stands for an output too large for the state."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The attempt to be stored, and the call to be made once it is; without a call, `failed` says why.

    `boot` is when this was, on the clock that no step of the wall clock moves.
    """

    boot: float
    attempt: Attempt
    missing: tuple[str, ...]
    call: Call | None
    failed: Failed | None = None


def prepare(outside: Outside, plan: Plan, run: Run, step: Step, purpose: Purpose) -> Prepared:
    """The next attempt of `step`. Raises StoreError where an artifact that it needs cannot be read."""
    now, boot = outside.clock.now(), outside.clock.boot()
    use, _ = _use(step, purpose)
    tool = plan.tools[use]
    inputs, fault = _inputs(outside, plan, run, step, purpose)
    fault = fault or check_input(tool, inputs)
    key = effect_key(plan, run, step, inputs) if tool.effect is not Effect.NONE and not fault else None
    attempt = Attempt(
        number=run.steps[step.id].started + 1,
        purpose=purpose,
        started_at=now,
        deadline=_deadline(plan, run, purpose, now, min(step.timeout, tool.timeout)),
        input_digest=digest(inputs),
        # An idempotent tool is told its key, but only an external effect is remembered under it.
        effect_key=key if tool.effect is Effect.EXTERNAL else None,
    )
    missing = tuple(_missing(plan, run, step))
    if fault:
        return Prepared(boot, attempt, missing, None, Failed(Kind.INVALID_INPUT, fault))
    try:
        secrets = _secrets(outside, step, tool, purpose)
        _expect_unchanged(outside, tool)
    except ClockwrightError as wrong:
        # Nothing is sent, so nothing may be said about whoever is sending under this key.
        return Prepared(boot, replace(attempt, effect_key=None), missing, None, Failed(Kind.MISCONFIGURED, str(wrong)))
    call = _call(outside, run, step, attempt, inputs)
    return Prepared(boot, attempt, missing, replace(call, tool=tool.name, effect_key=key, secrets=secrets))


def _use(step: Step, purpose: Purpose) -> tuple[str, Mapping[str, Json]]:
    """The tool of an attempt, and its inputs as the plan writes them."""
    if purpose is Purpose.REPAIR and step.repair:
        return step.repair.use, step.repair.inputs
    if purpose is Purpose.PROBE and step.fresh:
        return step.fresh.use, step.fresh.inputs
    return step.use, step.inputs


def _secrets(outside: Outside, step: Step, tool: ToolSpec, purpose: Purpose) -> Mapping[str, str]:
    """A probe may share the step's secrets, but is told only those that it declares."""
    told = {ours: name for ours, name in step.secrets.items() if purpose is not Purpose.PROBE or ours in tool.secrets}
    return {ours: outside.secret(name) for ours, name in told.items()}


def _expect_unchanged(outside: Outside, then: ToolSpec) -> None:
    """A run never meets a tool that its plan does not know. Raises ClockwrightError."""
    reason = incompatible(then, outside.tools.get(then.name)) if outside.tools else ""
    if reason:
        raise ClockwrightError(f"{reason}; put it back, or end this run and start a new one")


def _deadline(plan: Plan, run: Run, purpose: Purpose, now: datetime, timeout: timedelta) -> datetime:
    """A receiver may be asked after the run's deadline too: the answer is what a run that is out of time waits for."""
    until = now + timeout
    return until if purpose is Purpose.RECONCILE else min(until, run_deadline(plan, run))


def _call(outside: Outside, run: Run, step: Step, attempt: Attempt, inputs: Json) -> Call:
    name = attempt_id(run, step.id, attempt.number)
    return Call(
        id=name,
        tool=step.use,
        purpose=attempt.purpose,
        input=inputs,
        workdir=outside.artifacts.workdir(name),
        deadline=attempt.deadline,
        seconds=(attempt.deadline - attempt.started_at).total_seconds(),
        parts=run.steps[step.id].parts,
        outbox=outside.outbox,
        dry_run=run.dry_run,
        since=_since(run.steps[step.id]) if attempt.purpose is Purpose.RECONCILE else None,
    )


def _since(at: StepRun) -> datetime | None:
    """When the attempt in doubt began; one that was taken over from an earlier run has only its deadline."""
    return min(at.unknown.started_at, at.unknown.deadline) if at.unknown else None


def step_inputs(outside: Outside, plan: Plan, run: Run, step: str) -> Json:
    """What the step's tool would be given now; empty where that cannot be said."""
    return _inputs(outside, plan, run, plan.by_id[step], Purpose.RUN)[0]


def _inputs(outside: Outside, plan: Plan, run: Run, step: Step, purpose: Purpose) -> tuple[Json, str]:
    _, template = _use(step, purpose)
    try:
        inputs = resolve(template, scope(outside, plan, run, template))
    except Unresolved as unresolved:
        return {}, str(unresolved)
    changes = run.steps[step.id].changes if purpose in {Purpose.RUN, Purpose.RECONCILE} else {}
    if locked := set(changes) - set(step.open):
        return inputs, f"{', '.join(sorted(locked))} is locked; only {list(step.open)} may be changed"
    return {**inputs, **changes}, ""


def scope(outside: Outside, plan: Plan, run: Run, template: Json) -> Mapping[str, Json]:
    """What the references in `template` may read: the run, the job, and what the steps that it names left."""
    found = list(references(template))
    named = {str(reference.step) for reference in found} & run.steps.keys()
    return {
        "run": _run_facts(run),
        "job": {"id": plan.job, "goal": plan.goal, **plan.about},
        "steps": {step: _facts_of(outside.artifacts, stand_in.provider(plan, run, step)) for step in sorted(named)},
        EARLIER: _earlier(outside, run, {reference.earlier for reference in found if reference.earlier}),
    }


def _earlier(outside: Outside, run: Run, steps: set[str]) -> Mapping[str, Json]:
    """What these steps left in the newest earlier revision that finished them."""
    facts: dict[str, Json] = {}
    for revision in range(run.revision - 1, 0, -1) if steps else ():
        try:
            before = outside.store.load(run_id(run.job, run.instant, revision))
        except KeyError:
            continue
        for step in (steps & before.steps.keys()) - facts.keys():
            if before.steps[step].state is StepState.DONE:
                facts[step] = _facts_of(outside.artifacts, before.steps[step])
    return facts


def _run_facts(run: Run) -> Json:
    data = run.data
    return {
        "id": run.id,
        "due": run.instant.isoformat(),
        "started_at": (run.started_at or run.queued_at).isoformat(),
        "local_date": data.local_date.isoformat(),
        "previous_day": {
            "date": data.day.isoformat(),
            "start": data.start.isoformat(),
            "end": data.end.isoformat(),
        },
        "previous_week": _period_facts(data.week or previous_week(data.local_date, data.timezone)),
        "previous_month": _period_facts(data.month or previous_month(data.local_date, data.timezone)),
        "data": _data_facts(data),
    }


def _period_facts(period: Period) -> Json:
    return {
        "first": period.first.isoformat(),
        "last": period.last.isoformat(),
        "start": period.start.isoformat(),
        "end": period.end.isoformat(),
    }


def _data_facts(data: DataDate) -> Json:
    return {
        "date": data.day.isoformat(),
        "timezone": data.timezone,
        "due_local": data.due_local,
        "fold": data.fold,
        "zone_data": data.zone_data,
    }


def _facts_of(artifacts: Artifacts, step: StepRun) -> Json:
    stale = {"stale": step.stale or None}
    if step.state is StepState.DONE:
        return {"output": _unspilled(artifacts, step.output), "summary": step.summary, "missing": None} | stale
    return {"output": None, "summary": "", "missing": step.cause or f"{step.step} is {step.state}"} | stale


def _unspilled(artifacts: Artifacts, output: Json) -> Json:
    if isinstance(output, dict) and set(output) == {SPILLED}:
        return json.loads(artifacts.get(output[SPILLED]))
    return output


def _missing(plan: Plan, run: Run, step: Step) -> Iterator[str]:
    """The weak inputs that are not there, each with its cause, and the source that is not complete."""
    if run.steps[step.id].fresh and run.steps[step.id].stale:
        yield f"{step.title or step.id}: {run.steps[step.id].stale}"
    for need in step.needs_weak:
        at = stand_in.provider(plan, run, need)
        if at.state is not StepState.DONE:
            yield f"{plan.by_id[need].title or need}: {at.cause}"
