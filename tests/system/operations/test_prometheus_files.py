"""The rules and examples in config/prometheus, by the tools that read them in earnest."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from daemon.adapters.metric_list import METRICS
from tests.real import program

FOLDER = Path(__file__).parents[3] / "config" / "prometheus"
RULES = FOLDER / "clockwright.rules.yml"
TESTS = FOLDER / "clockwright.rules.test.yml"


def alerts() -> list[dict[str, dict[str, str]]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("promtool", "check", "config", "prometheus.yml"),
        ("promtool", "test", "rules", "clockwright.rules.test.yml"),
        ("amtool", "check-config", "alertmanager.yml"),
    ],
    ids=" ".join,
)
def test_the_files_pass_the_programs_that_read_them(command: tuple[str, ...]) -> None:
    done = subprocess.run([program(command[0]), *command[1:]], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_every_alert_has_a_case_that_fires_and_one_that_does_not(rule: dict[str, dict[str, str]]) -> None:
    assert len(re.findall(rf"\b{rule['alert']}\b", TESTS.read_text())) >= 2
    assert set(rule["annotations"]) == {"summary", "description"}
    assert rule["labels"]["severity"] in {"critical", "warning"}


def test_the_rules_name_only_metrics_that_exist() -> None:
    exposed = {metric.full_name for metric in METRICS.values()}
    found = re.findall(r"(?<![:\w])clockwright_\w+\b(?!:)", RULES.read_text())  # a colon makes it a recorded name
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in found} <= exposed
