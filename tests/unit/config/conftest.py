from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.config.workshop import DAILY, Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """A config folder with one good job, `daily`, and one configured secret, `token`."""
    (tmp_path / "jobs").mkdir()
    made = Workshop(tmp_path)
    made.settings("secrets: {token: {env: TOKEN}}\n")
    made.job(DAILY)
    return made
