"""Every metric with its labels: the one list that code, docs, rules and dashboards are checked against.

The label is `job_name`: `job` and `instance` belong to whoever scrapes. Times are timestamps, never ages.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Sort(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """`name` lacks the prefix and, for a counter, `_total`."""

    sort: Sort
    name: str
    text: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def full_name(self) -> str:
        return f"clockwright_{self.name}" + ("_total" if self.sort is Sort.COUNTER else "")


JOB: Final = "job_name"
RUN_BUCKETS: Final = (5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)
COMMIT_BUCKETS: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0)


def _counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(Sort.COUNTER, name, text, labels)


def _gauge(name: str, text: str, *labels: str) -> Metric:
    return Metric(Sort.GAUGE, name, text, labels)


def _histogram(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Metric:
    return Metric(Sort.HISTOGRAM, name, text, labels, buckets)


COUNTED: Final = (
    _counter("runs_started", "Runs begun.", JOB),
    _counter("runs", "Runs ended, by how.", JOB, "state"),
    _histogram("run_duration_seconds", "From a run's start to its end, waiting included.", RUN_BUCKETS, JOB),
    _counter("steps", "Steps ended, by how.", JOB, "state"),
    _counter("attempts", "Attempts begun, by purpose.", JOB, "purpose"),
    _counter("attempt_failures", "Attempts failed, by kind.", JOB, "kind"),
    _counter("retries", "Back-offs before another attempt.", JOB),
    _counter("watchdog_kills", "Attempts killed at their deadline.", JOB),
    _counter("decisions", "Decisions, by letter and who made them.", JOB, "letter", "by"),
    _counter("rejected_answers", "Answers of a model that were no decision, by cause.", "cause"),
    _counter("tokens", "Tokens of decisions, by direction.", JOB, "direction"),
    _counter("cost", "Money for decisions, in the currency of the configured prices.", JOB),
    _counter("escalations", "Questions asked of people.", JOB),
    _counter("answers", "Answers to questions, by whom: a person, or the expiry.", "by"),
    _counter("ledger", "Due instants accounted for, by disposition.", JOB, "disposition"),
    _counter("notices", "Things that happened to the daemon itself.", "topic", "severity"),
    _histogram("store_commit_seconds", "What one unit of work waited until it was durable.", COMMIT_BUCKETS),
)
"""Fed by events, as they happen."""

LOOKED_AT: Final = (
    _gauge("build_info", "Always 1; the version is the label.", "version"),
    _counter("loop_turns", "Turns of the scheduler's loop."),
    _gauge("loop_last_turn_timestamp_seconds", "When the scheduler's loop last made a turn."),
    _gauge("leads", "1 while this daemon holds the lease and fires, 0 while it stands by."),
    _gauge("ready", "1 while the store answers and the loop turns."),
    _gauge("config_jobs", "Jobs in force."),
    _gauge("config_reload_successful", "0 from a reload that was refused until the next that was not."),
    _gauge("config_reload_timestamp_seconds", "When the configuration in force was read."),
    _gauge("observer_failures", "Events that an observer (log, metric, alert) could not take, since the start."),
    _gauge("runs_in_hand", "Runs that this process carries now."),
    _gauge("paused", "1 while everything is paused."),
    _gauge("escalations_open", "Questions that wait for a person."),
    _gauge("escalations_oldest_timestamp_seconds", "When the oldest open question was asked; 0 without one."),
    _gauge("alerts_open", "Alerts that are raised and not recovered."),
    _gauge("outbox_depth", "Deliveries that are meant and not known to have arrived."),
    _gauge("outbox_oldest_timestamp_seconds", "When the run of the oldest of them began; 0 without one."),
    _gauge("store_up", "1 while the store answers."),
    _gauge("slack_socket_up", "1 while presses can be heard by Socket Mode; absent without it."),
    _gauge("job_next_due_timestamp_seconds", "When the job is due next; absent without a schedule.", JOB),
    _gauge("job_deadline_timestamp_seconds", "By when it must have come to its end; absent where nothing is due.", JOB),
    _gauge("job_overdue", "1 while the job is later than it may be.", JOB),
    _gauge("job_last_success_timestamp_seconds", "When a run of the job last succeeded; 0 for never.", JOB),
    _gauge("job_last_duration_seconds", "How long its newest ended run took; 0 without one.", JOB),
    _gauge("job_paused", "1 while the job is paused.", JOB),
    _gauge("job_runs_open", "Runs of the job that have not ended.", JOB),
)
"""Looked at when somebody scrapes."""

METRICS: Final = {metric.name: metric for metric in (*COUNTED, *LOOKED_AT)}
