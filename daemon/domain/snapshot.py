"""What a decider sees: a bounded, deterministic, redacted view of a run, never its history.

The keys are the mission's wire format with additions. Every part has its own quota of bytes, so that no part can
push another out, and the whole has a ceiling that holds for 5 and for 500 steps and for outputs of any size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from .actions import Ask
from .answer_schema import open_inputs, schema_bytes
from .errors import RULES
from .limits import run_deadline
from .model import Failed, Json, Letter, Run, StepRun, StepState
from .plan import Plan, Step
from .quota import cut, finite, newest, plain, size, wire

GOAL_BYTES: Final = 2048
STEPS_BYTES: Final = 1400
ERROR_BYTES: Final = 900
TOOLS_BYTES: Final = 2048
FRONTIER_BYTES: Final = 420
LETTERS_BYTES: Final = 420
NUMBERS_BYTES: Final = 420
FRAME_BYTES: Final = 400
"""Keys and punctuation between the parts."""
SNAPSHOT_BYTES: Final = (
    GOAL_BYTES + STEPS_BYTES + ERROR_BYTES + TOOLS_BYTES + FRONTIER_BYTES + LETTERS_BYTES + NUMBERS_BYTES + FRAME_BYTES
)
"""The ceiling of the whole."""
SCHEMA_BYTES: Final = 4096
"""The ceiling of the schema that is made for each call."""

LINES: Final = 4
"""How many finished steps have a line of their own; earlier ones are counted."""
_SUMMARY: Final = 200
_DESCRIPTION: Final = 240
_CURRENT: Final = 120

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Situation:
    """What is to be decided, for which run, at what time. `left` is what may still be spent, by name."""

    plan: Plan
    run: Run
    ask: Ask
    now: datetime
    left: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def step(self) -> Step:
        return self.plan.by_id[self.ask.step]

    @property
    def at(self) -> StepRun:
        return self.run.steps[self.ask.step]

    @property
    def reflects(self) -> bool:
        """The step failed in a way that the rule has no clear answer to."""
        return self.at.failure is not None and RULES[self.at.failure.kind].ask


def snapshot(situation: Situation, redact: Redact) -> str:
    """One line of JSON, at most SNAPSHOT_BYTES."""
    plan, run = situation.plan, situation.run
    ended = _ended(plan, run)
    parts: dict[str, Json] = {
        "original_goal": cut(plain(redact(plan.goal)), GOAL_BYTES),
        "current_step_index": [step.id for step in plan.steps].index(situation.ask.step),
        "completed_steps_summary": newest([_line(plan, at, redact) for at in ended[-LINES:]], STEPS_BYTES),
    }
    shown = len(parts["completed_steps_summary"])
    return wire(
        {
            **parts,
            "earlier_steps": dict(sorted(Counter(at.state.value for at in ended[: len(ended) - shown]).items())),
            "last_step_error": _error(situation.at, redact),
            "available_tools": [_tool(situation, redact)],
            "frontier": _frontier(plan, run, redact),
            "attempts": _attempts(situation),
            "remaining": _remaining(situation),
            "allowed_decisions": _letters(situation),
        }
    )


def over_quota(plan: Plan) -> Iterator[tuple[int | None, str]]:
    """Mandatory parts that would not fit, each with the number of its step: such a plan is not compiled."""
    if size(plain(plan.goal)) > GOAL_BYTES:
        yield None, f"the goal takes more than {GOAL_BYTES} bytes, and a decider must see it whole"
    for number, step in enumerate(plan.steps):
        if step.use not in plan.tools:
            continue
        fields = open_inputs(step, plan.tool(step))
        if size(fields) + 256 > TOOLS_BYTES or schema_bytes(step, plan.tool(step)) > SCHEMA_BYTES:
            yield number, f"the open inputs of {step.id!r} are too large to be described to a decider"


def untrusted(text: str, redact: Redact, most: int) -> str:
    """Text that came from data: redacted, then cut, quoted and marked. It cannot forge the quotes around it."""
    inside = plain(redact(text)).replace("«", "‹").replace("»", "›")
    return f"untrusted «{cut(inside, most - 20)}»"


def _ended(plan: Plan, run: Run) -> list[StepRun]:
    """Oldest first; at the same time, in the plan's order."""
    ended = [run.steps[step.id] for step in plan.steps if run.steps[step.id].state.ended]
    return sorted(ended, key=lambda at: (at.ended_at or run.queued_at).timestamp())


def _line(plan: Plan, at: StepRun, redact: Redact) -> Json:
    said = at.summary if at.state is StepState.DONE else at.cause
    return {
        "step": at.step,
        "action": plan.by_id[at.step].use,
        "result": at.state.value,
        "data_summary": untrusted(said, redact, _SUMMARY),
    }


def _error(at: StepRun, redact: Redact) -> Json:
    if at.failure is None:
        return None
    failure: Failed = at.failure
    return {
        "kind": failure.kind.value,
        "message": untrusted(failure.message, redact, ERROR_BYTES // 2),
        "hint": untrusted(failure.hint, redact, ERROR_BYTES // 4) if failure.hint else None,
        "retry_after_seconds": finite(failure.retry_after),
    }


def _tool(situation: Situation, redact: Redact) -> Json:
    """Name and open inputs whole; the description cut, and what the inputs are now only where it fits."""
    step = situation.step
    tool = situation.plan.tool(step)
    entry: dict[str, Json] = {"name": tool.name, "step": step.id, "open_inputs": open_inputs(step, tool)}
    room = min(_DESCRIPTION, TOOLS_BYTES - size(entry) - 64)
    entry["description"] = cut(plain(redact(tool.description)), room)
    now = {name: untrusted(text, redact, _CURRENT) for name, text in _current(situation)}
    fuller = {**entry, "current": now}
    return fuller if now and size(fuller) <= TOOLS_BYTES - 8 else entry


def _current(situation: Situation) -> Iterator[tuple[str, str]]:
    """What the open inputs are now, as text: a template, or what was last chosen."""
    for name in situation.step.open:
        values = {**situation.step.inputs, **situation.at.changes}
        if name in values:
            yield name, wire(finite(values[name]))[: 8 * _CURRENT]


def _frontier(plan: Plan, run: Run, redact: Redact) -> Json:
    """What could be worked on now; what does not fit is counted."""
    active = [s for s in plan.steps if run.steps[s.id].state in (StepState.READY, StepState.RUNNING)]
    entries = [{"step": cut(redact(s.id), 90), "tool": cut(s.use, 90)} for s in active]
    shown = list(reversed(newest(list(reversed(entries)), FRONTIER_BYTES - 40)))
    return {"steps": shown, "more": len(entries) - len(shown)}


def _attempts(situation: Situation) -> Json:
    at = situation.at
    return {"made": at.tries, "limit": situation.step.retry.attempts + at.grace, "crashes": at.crashes}


def _remaining(situation: Situation) -> Json:
    """Whole minutes, so that the same question a moment later is the same text."""
    plan, run = situation.plan, situation.run
    until = (run_deadline(plan, run) - situation.now).total_seconds()
    active = plan.limits.active.total_seconds() - run.active_seconds
    undone = sum(1 for at in run.steps.values() if not at.state.ended)
    numbers = {"minutes": max(0, int(until // 60)), "active_minutes": max(0, int(active // 60)), "steps": undone}
    return {**numbers, **{name: situation.left[name] for name in sorted(situation.left)[:4]}}


def _letters(situation: Situation) -> Json:
    """What each allowed letter would do."""
    meaning = {letter: _MEANING[letter, situation.at.failure is not None] for letter in situation.ask.allowed}
    if situation.step.fallback and situation.at.failure and Letter.A in meaning:
        meaning[Letter.A] = f"go on with {situation.step.fallback!r}, the step that stands in for this one"
    return {letter.value: text for letter, text in meaning.items()}


_MEANING: Final = {
    (Letter.A, False): "go on: run this step",
    (Letter.A, True): "go on without this step; the report will say that it is missing",
    (Letter.B, False): "run this step",
    (Letter.B, True): "try this step again, with its open inputs changed if that helps",
    (Letter.C, False): "give up on this step",
    (Letter.C, True): "give up on this step, because trying again cannot help",
}
