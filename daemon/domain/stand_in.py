"""A step that stands in for another once that has failed for good: when it opens, and whose output counts."""

from __future__ import annotations

from collections.abc import Iterator

from .draft import Refusal
from .model import Run, StepRun, StepState
from .nearest import did_you_mean
from .plan import Plan, Step


def provider(plan: Plan, run: Run, step: str) -> StepRun:
    """Whose output counts as the step's: its own, or its stand-in's where it has failed."""
    at = run.steps[step]
    fallback = plan.by_id[step].fallback
    return provider(plan, run, fallback) if fallback and at.state is StepState.FAILED else at


def opens(plan: Plan, run: Run, step: Step) -> bool:
    """Whether a pending step may become ready: what it needs is there, and whatever it stands in for has failed."""
    original = plan.originals.get(step.id)
    wanted = original is None or run.steps[original].state is StepState.FAILED
    met = all(provider(plan, run, need).state is StepState.DONE for need in step.needs)
    return wanted and met and all(provider(plan, run, need).state.ended for need in step.needs_weak)


def spared(plan: Plan, run: Run, step: Step) -> str:
    """Why a step has nothing to stand in for, where that is so."""
    original = plan.originals.get(step.id)
    if original is None or run.steps[original].state not in (StepState.DONE, StepState.SKIPPED):
        return ""
    verb = "is done" if run.steps[original].state is StepState.DONE else "was skipped"
    return f"stands in for {original}, which {verb}"


def refuse(steps: tuple[Step, ...]) -> Iterator[Refusal]:
    """Stand-ins that are not there, stand in for two, or are needed instead of what they stand in for."""
    originals: dict[str, str] = {}
    ids = {step.id for step in steps}
    for number, step in enumerate(steps):
        if step.fallback and (fault := _fault(step, step.fallback, originals, ids)):
            yield Refusal(step.id, ("steps", number, "fallback"), *fault)
        elif step.fallback:
            originals[step.fallback] = step.id
    for number, step in enumerate(steps):
        for name in (name for name in step.needs if name in originals):
            message = f"{step.id!r} needs {name!r}, which runs only when {originals[name]!r} fails"
            yield Refusal(step.id, ("steps", number), message, f"need {originals[name]!r}: either of the two then does")


def _fault(step: Step, name: str, originals: dict[str, str], ids: set[str]) -> tuple[str, str] | None:
    if name == step.id:
        return f"step {name!r} cannot stand in for itself", ""
    if name not in ids:
        return f"there is no step {name!r}", did_you_mean(name, ids - {step.id})
    if name in originals:
        return f"{name!r} stands in for {originals[name]!r} already", "give each step a stand-in of its own"
    return None


def order(steps: tuple[Step, ...]) -> dict[str, set[str]]:
    """Every step with all that must have ended before it: what it needs, their stand-ins, what it stands in for."""
    fallbacks = {step.id: step.fallback for step in steps if step.fallback}
    needs: dict[str, set[str]] = {}
    for step in steps:
        listed = {*step.needs, *step.needs_weak} - {step.id}
        needs[step.id] = listed | {fallbacks[name] for name in listed if name in fallbacks}
    for original, fallback in fallbacks.items():
        needs.setdefault(fallback, set()).add(original)
    return needs
