"""The redactor of today's secrets; made anew where one has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..domain.redaction import Redactor
from ..ports import Clock

AGAIN_SECONDS = 10.0
"""After which the secrets are read anew."""


class FreshRedactor:
    """Called it gives the redactor. `values` reads every secret that there is; it may read files."""

    def __init__(self, values: Callable[[], Sequence[str]], clock: Clock) -> None:
        self._values = values
        self._clock = clock
        self._known: Sequence[str] = sorted(values())
        self._redactor = Redactor(self._known)
        self._read_at = clock.boot()

    def __call__(self) -> Redactor:
        if self._clock.boot() - self._read_at > AGAIN_SECONDS:
            self._read_at = self._clock.boot()
            found = sorted(self._values())
            if found != self._known:
                self._known, self._redactor = found, Redactor(found)
        return self._redactor

    def hide(self, text: str) -> str:
        return self()(text)
