"""The JSON Schema that editors use says what the loader says."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from daemon.config import job_schema
from daemon.config.examples import examples
from daemon.config.yaml_source import parse
from tests.unit.config.workshop import DAILY

VALIDATOR = Draft202012Validator(job_schema())


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(job_schema())


@pytest.mark.parametrize("text", [DAILY, examples()["jobs/daily_sales_report.yaml"]], ids=["small", "example"])
def test_a_good_job_is_valid(text: str) -> None:
    assert list(VALIDATOR.iter_errors(parse(text, "x").plain())) == []


@pytest.mark.parametrize(
    ("old", "new"), [("goal:", "gaol:"), ("id: daily", "id: 7"), ("needs_weak: [picture]", "timeout: 5 minutes")]
)
def test_a_fault_shows_in_the_editor(old: str, new: str) -> None:
    assert not VALIDATOR.is_valid(parse(DAILY.replace(old, new), "x").plain())


def test_every_key_of_a_step_is_described_or_speaks_for_itself() -> None:
    step = job_schema()["$defs"]["StepSection"]["properties"]

    assert {"with", "needs_weak", "on_exhausted", "open"} <= {
        name for name, part in step.items() if "description" in part
    }
