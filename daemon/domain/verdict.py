"""How a run whose steps have all ended is called, and why."""

from __future__ import annotations

from .model import Run, RunState, StepRun, StepState
from .plan import Plan


def verdict(plan: Plan, run: Run) -> tuple[RunState, str]:
    """A run never ends green when it was not. What nobody did without makes it fail; what somebody did, degrades it."""
    undone = [run.steps[s.id] for s in plan.steps if run.steps[s.id].state is not StepState.DONE]
    fatal = [at for at in undone if not _excused(plan, run, at.step)]
    if fatal:
        return RunState.FAILED, _reasons(fatal)
    if undone:
        return RunState.DEGRADED, _reasons(undone)
    return RunState.SUCCEEDED, ""


def _reasons(steps: list[StepRun]) -> str:
    first = [at for at in steps if at.state is StepState.FAILED] or steps
    return "; ".join(f"{at.step}: {at.cause}" for at in first)


def _excused(plan: Plan, run: Run, step: str) -> bool:
    """Whether the run did without this step: it is optional, or somebody who needed it weakly, near or far, is done."""
    if plan.by_id[step].optional:
        return True
    if any(run.steps[d].state is StepState.DONE for d in plan.weak_dependants[step]):
        return True
    return any(_excused(plan, run, d) for d in plan.dependants[step] if not plan.by_id[d].optional)
