"""The example configuration that `init` writes: it is the one in the repository, and it is right."""

from __future__ import annotations

from pathlib import Path

from daemon.config import read_settings
from daemon.config.examples import examples
from daemon.config.sections import JobSection
from daemon.config.settings_section import SettingsSection
from daemon.config.variables import VARIABLES
from daemon.config.yaml_source import parse
from daemon.domain.cron import parse as parse_cron

ROOT = Path(__file__).parents[3]


def test_the_examples_are_the_files_of_the_repository() -> None:
    assert {name: (ROOT / "config" / name).read_text() for name in examples()} == examples()


def test_the_example_settings_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "clockwright.yaml").write_text(examples()["clockwright.yaml"])

    assert read_settings(tmp_path, environ={}).state == tmp_path / "state"


def test_the_example_job_has_the_shape_of_a_job() -> None:
    job = JobSection.model_validate(parse(examples()["jobs/daily_sales_report.yaml"], "x").plain())

    assert (job.decide, job.timezone, [step.id for step in job.steps]) == (
        "always",
        "Asia/Shanghai",
        ["query", "kpis", "chart", "report", "post"],
    )
    assert job.schedule is not None
    assert parse_cron(job.schedule.cron).cautions == ()


def test_the_example_names_every_key_and_every_variable() -> None:
    text = examples()["clockwright.yaml"]

    unnamed = SettingsSection.model_fields.keys() - {"artifacts", "outbox", "environment"}
    assert [name for name in sorted(unnamed) if f"{name}:" not in text] == []
    assert [name for name in VARIABLES if name not in text] == []


def test_what_is_commented_out_is_right_as_well(tmp_path: Path) -> None:
    lines = examples()["clockwright.yaml"].splitlines()
    keys = tuple(f"# {name}:" for name in SettingsSection.model_fields)
    shown = [line.removeprefix("# ") for line in lines if line.startswith(keys) or line.startswith("#   ")]
    (tmp_path / "clockwright.yaml").write_text("\n".join(shown))

    assert read_settings(tmp_path, "staging", {}).parallel_runs == 1
