"""The name that a person probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint: the nearest known name, else the first few there are; empty where there are none."""
    names = sorted(set(known))
    if near := difflib.get_close_matches(name, names, n=1, cutoff=0.6):
        return f"did you mean {near[0]!r}?"
    if not names:
        return ""
    return f"there is {', '.join(names[:12])}" + (", ..." if len(names) > 12 else "")
