"""The dashboards: known to Grafana's own types, and every expression answered by a Prometheus that scrapes a daemon."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.metric_list import METRICS
from tests.real import program

ROOT = Path(__file__).parents[3]
DASHBOARDS = sorted((ROOT / "config" / "grafana" / "dashboards").glob("*.json"))
SCHEMA = Path(__file__).parent / "grafana" / "package.json"
TYPES = """import type { Dashboard } from '@grafana/schema';
type W<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean
  : T extends (infer U)[] ? W<U>[] : T extends object ? { [K in keyof T]: W<T[K]> } : T;
"""
COMPILE = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext")


def expressions(dashboard: Any) -> Iterator[tuple[str, str]]:
    """Panel title and expression."""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_a_dashboard_keeps_to_our_rules(path: Path) -> None:
    dashboard = json.loads(path.read_text())
    assert dashboard["uid"] == f"clockwright-{path.stem}"
    assert all(panel["description"] and panel["datasource"]["uid"] == "${datasource}" for panel in dashboard["panels"])
    said = " ".join(expression for _, expression in expressions(dashboard))
    assert "vector(0)" not in said, "a metric that is gone must show as gone"
    named = {re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\bclockwright_\w+", said)}
    assert named <= {metric.full_name for metric in METRICS.values()}


def test_every_metric_of_a_job_is_on_some_dashboard() -> None:
    """A metric that nobody draws is one that nobody looks at."""
    drawn = " ".join(path.read_text() for path in DASHBOARDS)
    assert [name for name, metric in METRICS.items() if "job_name" in metric.labels and name not in drawn] == [
        "runs_started"  # `attempts` and `runs` say the same later
    ]


@pytest.mark.slow
def test_grafanas_own_types_know_every_key(tmp_path: Path) -> None:
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("no npm on this machine, so no types of Grafana")
    shutil.copy(SCHEMA, tmp_path / "package.json")
    npm = [program("npm"), "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    installed = subprocess.run(npm, cwd=tmp_path, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"npm has no types of Grafana here: {installed.stderr.strip()[:200]}")
    (tmp_path / "check.ts").write_text(TYPES + "".join(map(_as_typescript, DASHBOARDS)))
    command = [program("node"), "node_modules/typescript/bin/tsc", *COMPILE, "check.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def _as_typescript(path: Path) -> str:
    dashboard = json.loads(path.read_text())
    for annotation in dashboard["annotations"]["list"]:  # what the data source adds is not in the schema
        for name in ("expr", "titleFormat"):
            annotation.pop(name, None)
    return f"export const {path.stem}: W<Dashboard> = {json.dumps(dashboard, indent=1)};\n"
