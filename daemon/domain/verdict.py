"""How a run whose steps have all ended is called, and why."""

from __future__ import annotations

from .model import Json, Run, RunState, StepRun, StepState
from .plan import Plan
from .stand_in import provider


def verdict(plan: Plan, run: Run) -> tuple[RunState, str]:
    """A run never ends green when it was not. What nobody did without makes it fail; what somebody did, degrades it."""
    undone = [run.steps[s.id] for s in plan.steps if not _settled(plan, run, s.id)]
    fatal = [at for at in undone if not _excused(plan, run, at.step)]
    if fatal:
        return RunState.FAILED, _reasons(fatal)
    stale = [f"{at.step}: {at.stale}" for at in run.steps.values() if at.fresh and at.stale]
    short = [f"{at.step}: {shortfall(at.output)}" for at in run.steps.values() if shortfall(at.output)]
    if undone or stale or short:
        return RunState.DEGRADED, "; ".join(filter(None, [_reasons(undone), *stale, *short]))
    return RunState.SUCCEEDED, ""


def shortfall(output: Json) -> str:
    """What an output says is missing from a delivery that arrived otherwise; nothing where all of it did."""
    if not isinstance(output, dict) or output.get("state") != "degraded":
        return ""
    return str(output.get("reason") or "delivered without a part")


def _settled(plan: Plan, run: Run, step: str) -> bool:
    """Whether nothing is amiss with it: it is done, or stands in for one that is."""
    original = plan.originals.get(step)
    return run.steps[step].state is StepState.DONE or (original is not None and _settled(plan, run, original))


def _reasons(steps: list[StepRun]) -> str:
    first = [at for at in steps if at.state is StepState.FAILED] or steps
    return "; ".join(f"{at.step}: {at.cause}" for at in first)


def _excused(plan: Plan, run: Run, step: str) -> bool:
    """Whether the run did without this step.

    It is optional, its stand-in is done, or somebody who needed it weakly, near or far, is.
    """
    if plan.by_id[step].optional or provider(plan, run, step).state is StepState.DONE:
        return True
    if original := plan.originals.get(step):
        return _excused(plan, run, original)
    if any(run.steps[d].state is StepState.DONE for d in plan.weak_dependants[step]):
        return True
    return any(_excused(plan, run, d) for d in plan.dependants[step] if not plan.by_id[d].optional)
