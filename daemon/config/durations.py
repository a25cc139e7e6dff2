"""Durations as people write them: `30s`, `5m`, `2h`, `1h30m`, `500ms`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

PATTERN = r"^(?=\d)(\d+d)?(\d+h)?(\d+m(?!s))?(\d+s)?(\d+ms)?$"
_UNITS = ("days", "hours", "minutes", "seconds", "milliseconds")
_LONGEST = timedelta(days=366)


def duration(text: Any) -> timedelta:
    """Raises ValueError with a hint in its message."""
    match = re.fullmatch(PATTERN, text) if isinstance(text, str) else None
    if match is None:
        raise ValueError("not a duration; write for example 30s, 5m, 2h or 1h30m")
    if any(len(part or "") > 12 for part in match.groups()):
        raise ValueError("the duration is too long")
    amounts = {unit: int(re.sub(r"\D", "", part)) for unit, part in zip(_UNITS, match.groups(), strict=True) if part}
    length = timedelta(**amounts)
    if not timedelta(0) < length <= _LONGEST:
        raise ValueError("a duration must be longer than nothing and at most 366d")
    return length


Duration = Annotated[
    timedelta,
    BeforeValidator(duration),
    WithJsonSchema({"type": "string", "pattern": PATTERN, "examples": ["30s"]}),
]
