"""Every expression of every dashboard, asked of a Prometheus that scrapes a daemon in trouble."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

from tests.real import program
from tests.system.cli_folder import wait_for
from tests.system.operations.test_dashboards import DASHBOARDS, expressions
from tests.system.operations.troubled import Prometheus, troubled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.xdist_group("scraped")]

SECONDS = 60
QUIET = frozenset({"Observers that failed", "Paused"})
"""Panels that may show zero although one of each trouble has happened: nobody paused, and no observer failed."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prometheus, str]]:
    with troubled(tmp_path_factory.mktemp("troubled")) as made:
        yield made


def asked(expression: str) -> str:
    """Without what only Grafana knows."""
    return expression.replace("[$__rate_interval]", "[1m]").replace('="$job_name"', '=~".+"')


def silent(server: Prometheus) -> list[str]:
    """What no series, or only zeros, answers."""
    missing = []
    for path in DASHBOARDS:
        for title, expression in expressions(json.loads(path.read_text())):
            values = [float(series["value"][1]) for series in server.query(asked(expression))]
            if not values or (title not in QUIET and not any(values)):
                missing.append(f"{path.stem}, {title}: {expression} -> {values}")
    return missing


def test_every_panel_is_answered_once_one_of_each_trouble_has_happened(scene: tuple[Prometheus, str]) -> None:
    server, _ = scene
    last: list[str] = []

    def complete() -> bool:
        last[:] = silent(server)
        return not last

    try:
        wait_for(complete, SECONDS)
    except AssertionError:
        pytest.fail("\n".join(last))


def test_promtool_has_nothing_to_say_about_a_real_scrape(scene: tuple[Prometheus, str]) -> None:
    with urlopen(scene[1]) as answer:
        text = answer.read()
    done = subprocess.run([program("promtool"), "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_rules_see_the_trouble(scene: tuple[Prometheus, str]) -> None:
    """Those that wait for no minutes fire; the names are those of the daemon's own metrics."""
    wanted = {"ClockwrightRunFailed", "ClockwrightRunDegraded", "ClockwrightInstantMissed", "ClockwrightModelAway"}

    def firing() -> set[str]:
        return {series["metric"]["alertname"] for series in scene[0].query('ALERTS{alertstate="firing"}')}

    wait_for(lambda: wanted <= firing(), SECONDS)
