"""Files that steps make."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..domain.model import Json


class Artifacts(Protocol):
    """Files by content digest."""

    def workdir(self, call_id: str) -> Path:
        """A fresh folder for one call."""
        ...

    def keep(self, workdir: Path, artifact: Json) -> None:
        """Store, durably, a file that the call wrote or passed on.

        Raises ValueError where there is no such file or its digest differs, StoreError where it cannot be stored.
        """
        ...

    def give(self, workdir: Path, artifact: Json) -> None:
        """Lay a stored file, read-only, where the call will look for it."""
        ...

    def put(self, content: bytes) -> str:
        """Keep bytes under their digest, durably."""
        ...

    def note(self, content: bytes) -> str:
        """Keep bytes under their digest; a power cut may forget what was noted last, so nothing may depend on it."""
        ...

    def get(self, sha256: str) -> bytes: ...

    def path(self, sha256: str) -> Path: ...

    def discard(self, workdir: Path) -> None: ...

    def forget(self, before: datetime) -> int:
        """Delete what nobody has kept, given out or put since; how many files."""
        ...
