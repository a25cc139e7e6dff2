"""The commented example configuration: `config/` of a checkout, or what the installed wheel put into share/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from ..domain.errors import ClockwrightError

DISTRIBUTION = "clockwright"
SHARED = "share/clockwright/config/"
NAMES = ("clockwright.yaml", "jobs/daily_sales_report.yaml")


class ExamplesMissing(ClockwrightError):
    """The installation lacks its example files."""


def examples() -> Mapping[str, str]:
    """Path below a config folder to the text of the example. Raises ExamplesMissing."""
    found = {name: path.read_text(encoding="utf-8") for name, path in _checkout() or _installed()}
    if lacking := sorted(set(NAMES) - found.keys()):
        raise ExamplesMissing(f"this installation lacks {', '.join(lacking)}; install {DISTRIBUTION} again")
    return {name: found[name] for name in NAMES}


def _checkout() -> list[tuple[str, Path]]:
    root = Path(__file__).parents[2]
    if not (root / "pyproject.toml").is_file():
        return []
    return [(name, root / "config" / name) for name in NAMES if (root / "config" / name).is_file()]


def _installed() -> Iterator[tuple[str, Path]]:
    """From the installer's own record, so that any scheme (venv, --user, --prefix) is found."""
    try:
        recorded = files(DISTRIBUTION) or ()
    except PackageNotFoundError:
        return
    for entry in recorded:
        _, shared, name = entry.as_posix().partition(SHARED)
        if shared and name in NAMES:
            yield name, Path(str(entry.locate()))
