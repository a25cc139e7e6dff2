"""Prometheus metrics, of the supervisor alone. One registry an instance: two daemons in one process do not clash."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.registry import Collector

from ..domain.answer import Cause
from ..domain.errors import Kind
from ..domain.events import (
    Answered,
    AttemptEnded,
    AttemptStarted,
    Decided,
    EffectAdopted,
    Escalated,
    Event,
    RetryScheduled,
    RunEnded,
    RunStarted,
    StepFailed,
    StepSkipped,
)
from ..domain.job import Disposition, Job, LedgerRow
from ..domain.model import ENDED, Decision, Failed, Letter, Purpose, Run, StepState
from ..ports import Notice, Severity
from .metric_list import COUNTED, Metric, Sort

EXPECTED_NOTICES = {
    Severity.CRITICAL: (
        "catch_up_asks",
        "clock_jumped",
        "config_fault",
        "failing_in_a_row",
        "reload_refused",
        "run_defect",
        "store_trouble",
    ),
    Severity.WARNING: ("config_fault", "lease_lost", "model_budget", "model_defect", "model_unavailable"),
}
"""Trouble whose counters exist from the start, so that the first is an increase."""
_ENDED_STEPS = (StepState.DONE, StepState.FAILED, StepState.SKIPPED)


class Metrics:
    """An EventSink and a Meter. Every counter of every known job exists, at zero, from the start."""

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # half of all series, and nobody asks for them
        self.registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        self._own: dict[str, CollectorRegistry] = {}
        """Each family alone, so that only those that moved are written anew: the text is what a scrape costs."""
        self._looked_at = CollectorRegistry()
        self._texts: dict[str, tuple[int, bytes]] = {}
        self._moves: Counted[str] = Counted()
        for metric in COUNTED:
            self._make(metric)
        self._expect_the_rest()
        self.expect(jobs)

    def _make(self, metric: Metric) -> None:
        name, labels = f"clockwright_{metric.name}", metric.labels
        self._own[metric.name] = CollectorRegistry()
        made: Counter | Histogram
        if metric.sort is Sort.COUNTER:
            made = self._counters[metric.name] = Counter(name, metric.text, labels, registry=self.registry)
        else:
            made = Histogram(name, metric.text, labels, registry=self.registry, buckets=metric.buckets)
            self._histograms[metric.name] = made
        self._own[metric.name].register(made)

    def look_at(self, collector: Collector) -> None:
        """Ask this one too, whenever somebody scrapes."""
        self.registry.register(collector)
        self._looked_at.register(collector)

    def exposition(self) -> bytes:
        """The text format that Prometheus scrapes."""
        return b"".join([*map(self._text, self._own), generate_latest(self._looked_at)])

    def _text(self, name: str) -> bytes:
        """As it was written last, unless it has moved since; what moves while it is written counts as moved."""
        moves = self._moves[name]
        written, text = self._texts.get(name, (-1, b""))
        if written != moves:
            text = generate_latest(self._own[name])
            self._texts[name] = (moves, text)
        return text

    # -- what exists before it happens

    def expect(self, jobs: Iterable[Job]) -> None:
        """Make their counters exist, so that the first failure is an increase and not a birth. Again does no harm."""
        for job in jobs:
            self._expect(job.id, model=job.model is not None)
        self._moves.update(list(self._own))

    def _expect(self, job: str, *, model: bool) -> None:
        for name in ("runs_started", "retries", "watchdog_kills", "escalations"):
            self._counters[name].labels(job)
        self._histograms["run_duration_seconds"].labels(job)
        for name, values in _CLOSED.items():
            for value in values:
                self._counters[name].labels(job, value)
        for by in ("rule", "model") if model else ("rule",):
            for letter in Letter:
                self._counters["decisions"].labels(job, letter.value, by)
        if model:
            self._counters["cost"].labels(job)
            for direction in ("in", "out"):
                self._counters["tokens"].labels(job, direction)

    def _expect_the_rest(self) -> None:
        for cause in Cause:
            self._counters["rejected_answers"].labels(cause.value)
        for by in ("person", "expiry"):
            self._counters["answers"].labels(by)
        for severity, topics in EXPECTED_NOTICES.items():
            for topic in topics:
                self._counters["notices"].labels(topic, severity.value)

    # -- what happens

    def emit(self, run: Run, event: Event) -> None:
        if count := _COUNTS.get(type(event)):
            count(self, run, event)

    def notice(self, notice: Notice) -> None:
        self._inc("notices", notice.topic, notice.severity.value)

    def accounted(self, rows: Sequence[LedgerRow]) -> None:
        for row in rows:
            self._inc("ledger", row.occurrence.job, row.disposition.value)

    def committed(self, seconds: float) -> None:
        self._histograms["store_commit_seconds"].observe(seconds)
        self._moves["store_commit_seconds"] += 1

    def _inc(self, name: str, *labels: str, by: float = 1.0) -> None:
        self._counters[name].labels(*labels).inc(by)
        self._moves[name] += 1

    def _started(self, run: Run, _: RunStarted) -> None:
        self._inc("runs_started", run.job)

    def _ended(self, run: Run, event: RunEnded) -> None:
        self._inc("runs", run.job, event.state.value)
        if run.started_at is not None:
            seconds = (event.at - run.started_at).total_seconds()
            self._histograms["run_duration_seconds"].labels(run.job).observe(seconds)
            self._moves["run_duration_seconds"] += 1

    def _attempt(self, run: Run, event: AttemptStarted) -> None:
        self._inc("attempts", run.job, event.attempt.purpose.value)

    def _attempt_ended(self, run: Run, event: AttemptEnded) -> None:
        if isinstance(event.outcome, Failed):
            self._inc("attempt_failures", run.job, event.outcome.kind.value)
            if event.outcome.kind is Kind.TIMEOUT:
                self._inc("watchdog_kills", run.job)
        elif run.steps[event.step].state is StepState.DONE:
            self._inc("steps", run.job, StepState.DONE.value)

    def _adopted(self, run: Run, _: EffectAdopted) -> None:
        self._inc("steps", run.job, StepState.DONE.value)

    def _step_failed(self, run: Run, _: StepFailed) -> None:
        self._inc("steps", run.job, StepState.FAILED.value)

    def _step_skipped(self, run: Run, _: StepSkipped) -> None:
        self._inc("steps", run.job, StepState.SKIPPED.value)

    def _retried(self, run: Run, _: RetryScheduled) -> None:
        self._inc("retries", run.job)

    def _decided(self, run: Run, event: Decided) -> None:
        made = event.decision
        self._inc("decisions", run.job, made.letter.value, made.by)
        for rejected in made.rejected:
            self._inc("rejected_answers", _cause(rejected))
        if made.model:
            self._inc("tokens", run.job, "in", by=made.tokens_in)
            self._inc("tokens", run.job, "out", by=made.tokens_out)
            self._inc("cost", run.job, by=_cost(made))

    def _escalated(self, run: Run, _: Escalated) -> None:
        self._inc("escalations", run.job)

    def _answered(self, _: Run, event: Answered) -> None:
        self._inc("answers", "expiry" if event.by == "expiry" else "person")


def _cause(rejected: str) -> str:
    """One of the closed list, whatever an older record says."""
    word = rejected.partition(":")[0]
    return word if word in set(Cause) else Cause.INVALID.value


def _cost(made: Decision) -> float:
    """An unknown cost counts nothing; the exact one is with the decision."""
    try:
        return float(Decimal(made.cost or "0"))
    except InvalidOperation:
        return 0.0


_CLOSED: dict[str, tuple[str, ...]] = {
    "runs": tuple(sorted(state.value for state in ENDED)),
    "steps": tuple(state.value for state in _ENDED_STEPS),
    "attempts": tuple(Purpose),
    "attempt_failures": tuple(Kind),
    "ledger": tuple(Disposition),
}
"""The second label of each and its closed set; the first is the job."""
_COUNTS: dict[type, Callable[[Metrics, Run, Any], None]] = {
    RunStarted: Metrics._started,
    RunEnded: Metrics._ended,
    AttemptStarted: Metrics._attempt,
    AttemptEnded: Metrics._attempt_ended,
    EffectAdopted: Metrics._adopted,
    StepFailed: Metrics._step_failed,
    StepSkipped: Metrics._step_skipped,
    RetryScheduled: Metrics._retried,
    Decided: Metrics._decided,
    Escalated: Metrics._escalated,
    Answered: Metrics._answered,
}
