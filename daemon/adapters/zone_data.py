"""Which version of the IANA zone data this machine resolves local times with."""

from __future__ import annotations

import zoneinfo
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def zone_data_version() -> str:
    """Such as `2026a`: of the system's own files where Python uses them, else of the tzdata package."""
    for folder in zoneinfo.TZPATH:
        listing = Path(folder) / "tzdata.zi"
        if listing.is_file():
            with listing.open(encoding="ascii", errors="replace") as lines:
                return lines.readline().removeprefix("# version ").strip()
    try:
        return f"tzdata {version('tzdata')}"
    except PackageNotFoundError:
        return "unknown"
