"""Prometheus metrics, fed by events alone. One registry an instance, so two daemons in one process do not clash."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, generate_latest

from ..domain.events import (
    AttemptEnded,
    AttemptStarted,
    Decided,
    EffectAdopted,
    Escalated,
    Event,
    RunEnded,
    RunStarted,
    StepFailed,
    StepSkipped,
)
from ..domain.model import ENDED, Failed, Letter, Run, StepState
from ..ports import Notice


class Metrics:
    """An EventSink. Every counter of every known job exists, at zero, from the start."""

    def __init__(self, jobs: Iterable[str] = ()) -> None:
        self.registry = CollectorRegistry()
        self._runs_started = self._counter("runs_started", "Runs begun.", "job")
        self._runs = self._counter("runs", "Runs ended, by how.", "job", "state")
        self._steps = self._counter("steps", "Steps ended, by how.", "job", "state")
        self._attempts = self._counter("attempts", "Attempts begun, by purpose.", "job", "purpose")
        self._failures = self._counter("attempt_failures", "Attempts failed, by kind.", "job", "kind")
        self._decisions = self._counter("decisions", "Decisions, by letter and who made them.", "job", "letter", "by")
        self._escalations = self._counter("escalations", "Questions asked of people.", "job")
        self._notices = self._counter("notices", "Things that happened to the daemon itself.", "topic", "severity")
        for job in jobs:
            self.expect(job)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"clockwright_{name}", text, labels, registry=self.registry)

    def expect(self, job: str) -> None:
        """Make the job's counters exist, so that the first failure is an increase and not a birth."""
        self._runs_started.labels(job)
        self._escalations.labels(job)
        for state in ENDED:
            self._runs.labels(job, state.value)
        for ended in (StepState.DONE, StepState.FAILED, StepState.SKIPPED):
            self._steps.labels(job, ended.value)
        for letter in Letter:
            self._decisions.labels(job, letter.value, "rule")

    def emit(self, run: Run, event: Event) -> None:
        if count := _COUNTS.get(type(event)):
            count(self, run, event)

    def notice(self, notice: Notice) -> None:
        self._notices.labels(notice.topic, notice.severity.value).inc()

    def exposition(self) -> bytes:
        """The text format that Prometheus scrapes."""
        return generate_latest(self.registry)

    def started(self, run: Run, _: RunStarted) -> None:
        self._runs_started.labels(run.job).inc()

    def ended(self, run: Run, event: RunEnded) -> None:
        self._runs.labels(run.job, event.state.value).inc()

    def attempt(self, run: Run, event: AttemptStarted) -> None:
        self._attempts.labels(run.job, event.attempt.purpose.value).inc()

    def attempt_ended(self, run: Run, event: AttemptEnded) -> None:
        if isinstance(event.outcome, Failed):
            self._failures.labels(run.job, event.outcome.kind.value).inc()
        elif run.steps[event.step].state is StepState.DONE:
            self._steps.labels(run.job, StepState.DONE.value).inc()

    def adopted(self, run: Run, _: EffectAdopted) -> None:
        self._steps.labels(run.job, StepState.DONE.value).inc()

    def step_failed(self, run: Run, _: StepFailed) -> None:
        self._steps.labels(run.job, StepState.FAILED.value).inc()

    def step_skipped(self, run: Run, _: StepSkipped) -> None:
        self._steps.labels(run.job, StepState.SKIPPED.value).inc()

    def decided(self, run: Run, event: Decided) -> None:
        self._decisions.labels(run.job, event.decision.letter.value, event.decision.by).inc()

    def escalated(self, run: Run, _: Escalated) -> None:
        self._escalations.labels(run.job).inc()


_COUNTS: dict[type, Callable[[Metrics, Run, Any], None]] = {
    RunStarted: Metrics.started,
    RunEnded: Metrics.ended,
    AttemptStarted: Metrics.attempt,
    AttemptEnded: Metrics.attempt_ended,
    EffectAdopted: Metrics.adopted,
    StepFailed: Metrics.step_failed,
    StepSkipped: Metrics.step_skipped,
    Decided: Metrics.decided,
    Escalated: Metrics.escalated,
}
