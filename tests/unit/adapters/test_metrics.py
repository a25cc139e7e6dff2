"""Counters exist before anything happens, and each event counts once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from daemon.adapters.metric_list import COUNTED, Sort
from daemon.adapters.metrics import Metrics
from daemon.domain.answer import Cause
from daemon.domain.errors import Kind
from daemon.domain.events import Answered, AttemptEnded, Decided, Escalated, RetryScheduled
from daemon.domain.job import Disposition
from daemon.domain.model import Decision, Failed, Letter
from daemon.domain.plan import Exhausted, Step
from daemon.ports import Notice
from daemon.testing.plays import Script, fail
from daemon.testing.stage import Stage
from daemon.testing.tools import make_job, make_plan
from tests.builders import T0, a_ledger_row, a_question, a_run

PLAN = make_plan([Step("look", "look", on_exhausted=Exhausted.FAIL), Step("keep", "keep", needs=("look",))])
SERIES_PER_JOB = 60


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"clockwright_{name}", labels)


def counting(*jobs: str) -> Metrics:
    return Metrics([make_job(make_plan([Step("look", "look")], job=job)) for job in jobs])


def watch(metrics: Metrics, script: Script) -> Metrics:
    stage = Stage(script)
    run = stage.run(PLAN)
    for event in stage.store.events(run.id):
        metrics.emit(run, event)
    return metrics


SCRAPES = ["right after start", "after one failed run", "after a config reload", "after building it twice"]


@pytest.mark.parametrize("scrape", SCRAPES, ids=[f"CB-069-{scrape.replace(' ', '-')}" for scrape in SCRAPES])
def test_counters_exist_before_the_first_failure_and_a_reload_keeps_them(scrape: str) -> None:
    metrics = counting("report", "weekly")
    failed = 0.0
    if scrape == "after building it twice":
        counting("report", "weekly")
    elif scrape != "right after start":
        watch(metrics, Script({"look": fail(Kind.DENIED)}))
        failed = 1.0
    if scrape == "after a config reload":
        metrics.expect([make_job(PLAN), make_job(make_plan([Step("look", "look")], job="fresh"))])
        assert value(metrics, "runs_total", job_name="fresh", state="failed") == 0
    assert value(metrics, "runs_total", job_name="report", state="failed") == failed
    assert value(metrics, "runs_total", job_name="weekly", state="failed") == 0
    assert value(metrics, "runs_total", job_name="weekly", state="succeeded") == 0
    families = {family.name: family for family in text_string_to_metric_families(metrics.exposition().decode())}
    assert {f"clockwright_{metric.name}" for metric in COUNTED} == set(families)
    counters = [family for family in families.values() if family.type == Sort.COUNTER]
    assert {sample.name for family in counters for sample in family.samples if "_total" not in sample.name} == set()


def test_a_failed_run_counts_once_with_its_steps() -> None:
    metrics = watch(counting("report"), Script({"look": fail(Kind.DENIED)}))
    assert value(metrics, "runs_total", job_name="report", state="failed") == 1
    assert value(metrics, "steps_total", job_name="report", state="failed") == 1
    assert value(metrics, "steps_total", job_name="report", state="skipped") == 1
    assert value(metrics, "attempt_failures_total", job_name="report", kind="denied") == 1
    assert value(metrics, "run_duration_seconds_count", job_name="report") == 1


def test_a_healthy_run_counts_each_step_as_done() -> None:
    metrics = watch(counting("report"), Script())
    assert value(metrics, "runs_started_total", job_name="report") == 1
    assert value(metrics, "steps_total", job_name="report", state="done") == 2


def test_what_a_model_answered_is_counted_with_its_price() -> None:
    metrics, run = counting("report"), a_run(job="report")
    rejected = (f"{Cause.UNKNOWN_TOOL}: there is no send_email | {{}}", "something of an older version")
    made = Decision(Letter.B, "look", "again", "model", Letter.A, model="m", rejected=rejected)
    for cost in ("0.25", ""):
        metrics.emit(run, Decided(T0, "query", replace(made, tokens_in=300, tokens_out=20, cost=cost)))
    assert value(metrics, "decisions_total", job_name="report", letter="B", by="model") == 2
    assert value(metrics, "rejected_answers_total", cause="unknown_tool") == 2
    assert value(metrics, "rejected_answers_total", cause="invalid") == 2
    assert value(metrics, "tokens_total", job_name="report", direction="in") == 600
    assert value(metrics, "cost_total", job_name="report") == 0.25


def test_kills_retries_questions_and_answers_are_counted() -> None:
    metrics, run = counting("daily"), a_run()
    metrics.emit(run, AttemptEnded(T0, "query", 1, Failed(Kind.TIMEOUT, "no result")))
    metrics.emit(run, RetryScheduled(T0, "query", T0))
    metrics.emit(run, Escalated(T0, a_question()))
    metrics.emit(run, Answered(T0, "ask-1", "retry", "Ada"))
    metrics.emit(run, Answered(T0, "ask-1", "abort", "expiry"))
    for name in ("watchdog_kills_total", "retries_total", "escalations_total"):
        assert value(metrics, name, job_name="daily") == 1
    assert [value(metrics, "answers_total", by=by) for by in ("person", "expiry")] == [1, 1]


def test_what_no_run_says_is_counted_too() -> None:
    metrics = counting("daily")
    metrics.accounted([a_ledger_row(a_run(), Disposition.SKIPPED_OVERLAP)])
    metrics.committed(0.003)
    metrics.notice(Notice("clock_jumped", "by an hour"))
    assert value(metrics, "ledger_total", job_name="daily", disposition="skipped_overlap") == 1
    assert value(metrics, "store_commit_seconds_bucket", le="0.005") == 1
    assert value(metrics, "notices_total", topic="clock_jumped", severity="warning") == 1


def test_the_series_of_a_job_are_bounded_and_none_is_a_creation_time() -> None:
    text = counting("daily").exposition().decode()
    assert text.count('job_name="daily"') <= SERIES_PER_JOB
    assert "_created" not in text


def test_a_scrape_shows_what_moved_since_the_last_one() -> None:
    metrics = counting("daily")
    for count in range(3):
        assert f'clockwright_retries_total{{job_name="daily"}} {float(count)}' in metrics.exposition().decode()
        metrics.emit(a_run(), RetryScheduled(T0, "query", T0))
