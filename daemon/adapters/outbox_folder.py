"""The local outbox, for whoever wants to see what would have been sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ..ports import Posted

_KEY = re.compile(r"[A-Za-z0-9][\w.-]{0,119}")
_FILE = re.compile(r"index\.html|message\.json|files/[^/\0]{1,200}")
_MOST_LOOKED_AT = 10_000


class OutboxFolder:
    """`daemon.ports.OutboxReader`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def newest(self, limit: int = 50) -> list[Posted]:
        found = sorted(self._folders(), key=lambda pair: pair[0], reverse=True)[:limit]
        return [posted for at, folder in found if (posted := _read(folder, at))]

    def file(self, key: str, name: str) -> bytes:
        folder = self._root / key
        if not _KEY.fullmatch(key) or not _FILE.fullmatch(name) or name in {"files/.", "files/.."}:
            raise KeyError(name)
        path = folder / name
        try:
            if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
                raise KeyError(name)
            return path.read_bytes()
        except OSError:
            raise KeyError(name) from None

    def _folders(self) -> Iterator[tuple[float, Path]]:
        """Each message with the second it was written in."""
        try:
            entries = list(self._root.iterdir())[:_MOST_LOOKED_AT]
        except OSError:
            return
        for entry in entries:
            receipt = entry / "receipt.json"
            if _KEY.fullmatch(entry.name) and receipt.is_file():
                yield receipt.stat().st_mtime, entry


def _read(folder: Path, at: float) -> Posted | None:
    try:
        payload = json.loads((folder / "message.json").read_bytes())
        files = sorted(path.name for path in (folder / "files").iterdir()) if (folder / "files").is_dir() else []
        return Posted(
            folder.name, datetime.fromtimestamp(at, UTC), str(payload["channel"]), str(payload["text"]), tuple(files)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
