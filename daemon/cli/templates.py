"""The configuration that is shipped: `init` and `demo` write it, and it is the one that this project documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .shipped import shipped
from .trouble import Unavailable

_PATTERNS = ("clockwright.yaml", "jobs/*.yaml")


def write(folder: Path) -> dict[Path, bool]:
    """Every file with whether it was written; what exists is never touched. Raises Unavailable."""
    return {folder / name: _write(folder / name, source) for name, source in _shipped()}


def _shipped() -> Iterator[tuple[str, Path]]:
    root = shipped("config", "clockwright.yaml")
    for pattern in _PATTERNS:
        for source in sorted(root.glob(pattern)):
            yield str(source.relative_to(root)), source


def _write(target: Path, source: Path) -> bool:
    """Whole or not at all: a half-written file would never be mended."""
    if target.exists():
        return False
    fresh = target.with_name(f".{target.name}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(source.read_bytes())
        fresh.rename(target)
    except OSError as error:
        raise Unavailable(f"cannot write {target}: {error.strerror}") from error
    return True
