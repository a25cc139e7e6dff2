"""Programs of the machine that a test starts: where one is missing, the test fails or says why it is left out."""

from __future__ import annotations

import os
import shutil

import pytest


def program(name: str) -> str:
    """Its path."""
    if found := shutil.which(name):
        return found
    return missing(f"no {name} on this machine")


def missing(reason: str) -> str:
    if os.environ.get("REQUIRE_REAL") == "1":
        pytest.fail(f"REQUIRE_REAL=1, and {reason}")
    pytest.skip(reason)
