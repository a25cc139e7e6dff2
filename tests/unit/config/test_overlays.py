"""Shared defaults, environments, and one job for each cell of a matrix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.faults import Place
from daemon.config.located import locate, merge
from daemon.domain.plan import Decide, Exhausted
from tests.unit.config.workshop import DAILY, Workshop

SHOPS = """\
matrix:
  shop:
    - {id: berlin, zone: Europe/Berlin, rows: 3}
    - {id: sao-paulo, zone: America/Sao_Paulo, rows: 4}
"""


def test_defaults_lie_under_every_job_and_step(workshop: Workshop) -> None:
    workshop.settings(
        "defaults: {owner: data, decide: always, step: {on_exhausted: fail, retry: {attempts: 7, cap: 9s}}}\n"
    )
    workshop.job(DAILY.replace("    use: query\n", "    use: query\n    retry: {attempts: 2}\n"))

    (job,) = workshop.load().jobs

    assert (job.owner, job.plan.decide) == ("data", Decide.ALWAYS)
    assert [step.retry.attempts for step in job.plan.steps] == [2, 7, 7]
    assert {step.retry.cap.seconds for step in job.plan.steps} == {9}
    assert {step.on_exhausted for step in job.plan.steps} == {Exhausted.FAIL}


def test_an_environment_changes_a_job_by_the_ids_of_its_steps(workshop: Workshop) -> None:
    workshop.settings("secrets: {token: {env: T}}\nenvironments: {staging: {parallel_runs: 1}, production: {}}\n")
    overlay = "environments: {staging: {owner: me, steps: [{id: tell, with: {channel: '#test'}}]}}\n"
    workshop.job(overlay + DAILY)

    staging, production = workshop.load("staging"), workshop.load(CLOCKWRIGHT_ENVIRONMENT="production")

    assert (staging.settings.parallel_runs, production.settings.parallel_runs) == (1, 8)
    assert staging.by_id["daily"].plan.by_id["tell"].inputs["channel"] == "#test"
    assert production.by_id["daily"].plan.by_id["tell"].inputs["channel"] == "#sales"
    assert staging.by_id["daily"].plan.by_id["tell"].inputs["text"] == "${steps.count.output.rows} orders"


def test_a_fault_in_an_overlay_is_reported_in_the_overlay(workshop: Workshop) -> None:
    workshop.settings("environments: {staging: {}}\n")
    workshop.job(DAILY + "environments:\n  staging:\n    timezone: Mars\n")

    (fault,) = workshop.load("staging").faults

    assert str(fault).startswith("jobs/daily.yaml:23:5: there is no time zone 'Mars'")


def test_an_overlay_for_an_unknown_environment_is_refused(workshop: Workshop) -> None:
    workshop.settings("environments: {staging: {}}\n")
    workshop.job("environments: {stagin: {}}\n" + DAILY)

    assert workshop.faults() == ["jobs/daily.yaml:1:16: there is no environment 'stagin' (did you mean 'staging'?)"]


def test_a_matrix_makes_one_job_for_each_value(workshop: Workshop) -> None:
    text = DAILY.replace("Europe/Berlin", "${matrix.shop.zone}").replace("#sales", "#sales-${matrix.shop.id}")
    workshop.job(SHOPS + text.replace("date: $", "limit: ${matrix.shop.rows}\n      date: $"))

    jobs = workshop.load().by_id

    assert list(jobs) == ["daily-berlin", "daily-sao-paulo"]
    assert jobs["daily-sao-paulo"].timezone == "America/Sao_Paulo"
    assert jobs["daily-berlin"].plan.by_id["tell"].inputs["channel"] == "#sales-berlin"
    assert jobs["daily-berlin"].plan.by_id["count"].inputs["limit"] == 3


def test_two_axes_make_every_combination(workshop: Workshop) -> None:
    workshop.job("matrix: {shop: [a, b], kind: [x, y]}\n" + DAILY)

    assert list(workshop.load().by_id) == ["daily-a-x", "daily-a-y", "daily-b-x", "daily-b-y"]


def test_a_fault_of_every_cell_is_said_once(workshop: Workshop) -> None:
    workshop.job(SHOPS + DAILY.replace("use: query", "use: nope"))

    assert len(workshop.faults()) == 1


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ("[a]", "jobs/daily.yaml:1:9: 'matrix' must be a mapping of lists"),
        ("{shop: a}", "jobs/daily.yaml:1:16: the matrix needs a list of values for 'shop'"),
        ("{shop: [A b]}", "jobs/daily.yaml:1:17: 'A b' cannot be part of a job's id"),
        ("{shop: [a, a]}", "jobs/daily.yaml:1:20: 'a' is in the matrix twice"),
        ("{shop: [{name: x}]}", "jobs/daily.yaml:1:17: 'this' cannot be part of a job's id"),
    ],
)
def test_a_matrix_that_makes_no_ids_is_refused(workshop: Workshop, matrix: str, message: str) -> None:
    workshop.job(f"matrix: {matrix}\n" + DAILY)

    assert workshop.faults()[0].startswith(message)


def test_a_variable_of_the_environment_is_filled_in_as_text_only(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("#sales", "${env.CHANNEL}").replace("Tell", "${env.VERB}"))

    (job,) = workshop.load(CHANNEL="#a ${run.id}", VERB="Say").jobs

    assert job.plan.by_id["tell"].inputs["channel"] == "#a $${run.id}"
    assert job.plan.goal == "Say the count of the day"


def test_every_variable_that_is_not_set_is_named_at_once(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("#sales", "${env.CHANNEL}").replace("Tell", "${env.VERB}"))

    assert [fault.split(" (")[0] for fault in workshop.faults()] == [
        "jobs/daily.yaml:2:7: ${env.VERB} points at nothing: there is no 'VERB'",
        "jobs/daily.yaml:18:16: ${env.CHANNEL} points at nothing: there is no 'CHANNEL'",
    ]


def test_a_variable_that_looks_like_a_secret_is_refused(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("#sales", "${env.SLACK_TOKEN}"))

    (fault,) = workshop.faults(SLACK_TOKEN="xoxb-1")  # noqa: S106 - it is a test

    assert "looks like a secret" in fault
    assert "xoxb-1" not in fault


def test_a_job_can_name_the_folders_of_the_settings(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("#sales", "${settings.outbox}"))

    assert workshop.load().by_id["daily"].plan.by_id["tell"].inputs["channel"] == f"{workshop.folder}/state/outbox"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from("xy"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
MAPPING = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)
HERE = Place("f", 1, 1)


@given(MAPPING)
def test_merging_with_nothing_or_with_itself_changes_nothing(value: dict[str, object]) -> None:
    located = locate(value, HERE)

    assert merge(located, locate({}, HERE)).plain() == value
    assert merge(locate({}, HERE), located).plain() == value
    assert merge(located, located).plain() == value


@given(MAPPING, MAPPING)
def test_what_the_overlay_does_not_name_stays(base: dict[str, object], over: dict[str, object]) -> None:
    merged = merge(locate(base, HERE), locate(over, HERE)).plain()

    assert merged.keys() == base.keys() | over.keys()
    assert all(merged[name] == base[name] for name in base.keys() - over.keys())
