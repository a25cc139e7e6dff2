"""The README quotes of others what was measured, and nothing else."""

from __future__ import annotations

import json

from benchmarks.peers import RESULTS, table
from tests.docs.blocks import ROOT


def test_the_table_of_peers_is_the_one_that_was_measured() -> None:
    assert table(json.loads(RESULTS.read_text())) in (ROOT / "README.md").read_text()
