"""Counters exist before anything happens, and each event counts once (CB-069)."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from daemon.adapters.metrics import Metrics
from daemon.domain.errors import Kind
from daemon.domain.plan import Exhausted, Step
from daemon.testing.plays import Script, fail
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan

PLAN = make_plan([Step("look", "look", on_exhausted=Exhausted.FAIL), Step("keep", "keep", needs=("look",))])


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def watched(script: Script) -> Metrics:
    metrics = Metrics(["report"])
    stage = Stage(script)
    run = stage.run(PLAN)
    for event in stage.store.events(run.id):
        metrics.emit(run, event)
    return metrics


def test_every_counter_of_every_job_is_zero_at_the_start() -> None:
    metrics = Metrics(["daily", "weekly"])
    for job in ("daily", "weekly"):
        assert value(metrics, "clockwright_runs_total", job=job, state="failed") == 0
        assert value(metrics, "clockwright_runs_total", job=job, state="succeeded") == 0
        assert value(metrics, "clockwright_steps_total", job=job, state="done") == 0


def test_a_failed_run_counts_once_with_its_steps() -> None:
    metrics = watched(Script({"look": fail(Kind.DENIED)}))
    assert value(metrics, "clockwright_runs_total", job="report", state="failed") == 1
    assert value(metrics, "clockwright_steps_total", job="report", state="failed") == 1
    assert value(metrics, "clockwright_steps_total", job="report", state="skipped") == 1
    assert value(metrics, "clockwright_attempt_failures_total", job="report", kind="denied") == 1


def test_a_healthy_run_counts_each_step_as_done() -> None:
    metrics = watched(Script())
    assert value(metrics, "clockwright_runs_started_total", job="report") == 1
    assert value(metrics, "clockwright_steps_total", job="report", state="done") == 2


def test_two_daemons_in_one_process_do_not_clash_and_the_text_parses() -> None:
    first, second = Metrics(["a"]), Metrics(["a"])
    for metrics in (first, second):
        families = list(text_string_to_metric_families(metrics.exposition().decode()))
        assert "clockwright_runs" in {family.name for family in families}
