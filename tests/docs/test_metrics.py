"""docs/metrics.md names every metric with its labels, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from daemon.adapters.metrics import Metrics

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()


def test_every_metric_is_documented_and_every_documented_one_exists() -> None:
    documented = set(re.findall(r"^\| `(\w+)_total`", PAGE, re.MULTILINE))
    assert documented == {family.name for family in Metrics().registry.collect()}
