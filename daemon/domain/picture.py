"""What a run looks like from outside, put together from its state and its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from . import wording
from .events import AttemptEnded, Decided, Event
from .model import Failed, Purpose, Run, StepRun, StepState
from .plan import Plan, Step


@dataclass(frozen=True)
class StepPicture:
    """One step as a person sees it."""

    step: Step
    at: StepRun
    decisions: tuple[str, ...]
    failures: tuple[AttemptEnded, ...]
    question: str = ""

    @property
    def name(self) -> str:
        return self.step.title or self.step.id

    @property
    def state(self) -> str:
        """The step's state, and where a running one is."""
        if self.at.escalation:
            return "waiting"
        if self.at.wake_at and not self.at.attempt:
            return "retrying" if self.at.failure or self.at.unknown else "waiting"
        return self.at.state.value

    def seconds(self, now: datetime) -> float | None:
        if self.at.started_at is None:
            return None
        return max(0.0, ((self.at.ended_at or now) - self.at.started_at).total_seconds())

    @property
    def words(self) -> str:
        """What it came to, or what it is at."""
        if self.at.state is StepState.DONE:
            return self.at.summary
        if self.at.cause or self.question:
            return self.at.cause or self.question
        if self.at.attempt and self.at.attempt.purpose is not Purpose.RUN:
            return f"{self.at.attempt.purpose} …"
        last = self.failures[-1].outcome if self.failures else None
        return wording.failure(last) if isinstance(last, Failed) else ""


@dataclass(frozen=True)
class Picture:
    """`events` is the whole history so far."""

    plan: Plan
    run: Run
    events: Sequence[Event]

    @cached_property
    def steps(self) -> list[StepPicture]:
        return [self._step(step) for step in self.plan.steps]

    def _step(self, step: Step) -> StepPicture:
        at = self.run.steps.get(step.id, StepRun(step.id))
        asked = self.run.escalations.get(at.escalation or "")
        question = asked.question if asked else ""
        said = tuple(wording.decision(event.decision) for event in self.decided if event.step == step.id)
        return StepPicture(step, at, said, tuple(self._failures(step.id)), question)

    @cached_property
    def decided(self) -> list[Decided]:
        """Every decision, in order."""
        return [event for event in self.events if isinstance(event, Decided)]

    def _failures(self, step: str) -> Iterator[AttemptEnded]:
        for event in self.events:
            if isinstance(event, AttemptEnded) and event.step == step and isinstance(event.outcome, Failed):
                yield event

    def seconds(self, now: datetime) -> float:
        """From the start to the end, waiting included."""
        begun = self.run.started_at or self.run.queued_at
        return max(0.0, ((self.run.ended_at or now) - begun).total_seconds())
