"""How an artifact is recognised inside JSON."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Json

KEYS = frozenset({"name", "sha256", "size", "media_type"})


def artifacts_in(value: Json) -> Iterator[Json]:
    """Every artifact reference inside a JSON value, in order."""
    if isinstance(value, dict):
        if value.keys() == KEYS:
            yield value
        else:
            for inner in value.values():
                yield from artifacts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from artifacts_in(inner)
