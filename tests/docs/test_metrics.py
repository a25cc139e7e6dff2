"""docs/metrics.md names every metric with its labels, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from daemon.adapters.metric_list import METRICS

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()


def test_every_metric_is_documented_and_every_documented_one_exists() -> None:
    documented = dict(re.findall(r"^\| `(clockwright_\w+)` \| ([\w, ]*?) *\|", PAGE, re.MULTILINE))
    assert documented == {metric.full_name: ", ".join(metric.labels) for metric in METRICS.values()}
