"""Secrets out of everything that is shown. The same words come again and again, so what was looked at is remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..domain.model import Json
from ..domain.redaction import Redactor

REMEMBERED = 8192
LONGEST = 500
"""Longer texts are looked at anew each time, so that what is remembered stays small."""


class Hiding:
    """`redactor` gives today's; it is asked for each page, because secrets may have been rotated."""

    def __init__(self, redactor: Callable[[], Redactor]) -> None:
        self._redactor = redactor
        self._today = redactor()
        self._short = lru_cache(REMEMBERED)(self._today)

    def renew(self) -> None:
        redactor = self._redactor()
        if redactor is not self._today:
            self._today, self._short = redactor, lru_cache(REMEMBERED)(redactor)

    def text(self, text: str) -> str:
        return self._short(text) if len(text) <= LONGEST else self._today(text)

    def json(self, value: Json) -> Json:
        """Every string in `value`, keys too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(str(key)): self.json(item) for key, item in value.items()}
        return value

    def printed(self, value: Any) -> Any:
        """Jinja's `finalize`: what any expression in any template comes to. Markup is what we drew ourselves."""
        if value is None:
            return ""
        if hasattr(value, "__html__") or (isinstance(value, int | float) and not isinstance(value, str)):
            return value
        return self.text(str(value))
