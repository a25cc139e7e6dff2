"""The journal of intents: one line of JSON for each effect that was about to be caused, in a file beside the store."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from ..ports import Clock, EffectRow, EffectState, StoreUnavailable

KEPT = timedelta(days=90)
"""A backup that is older than this is not told from a store that never knew."""


class IntentJournal:
    """`daemon.ports.Journal`. Not flushed: a power cut that loses a line loses no store that would have to be put back.

    Two processes may write; a line is one write.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._lock = Lock()

    def note(self, intent: EffectRow) -> None:
        try:
            with self._lock, open(self._path, "ab", opener=_private) as stream:
                stream.write(_line(intent))
        except OSError as error:
            raise StoreUnavailable(f"cannot write {self._path}: {error.strerror}") from error

    def entries(self) -> list[EffectRow]:
        since = self._clock.now() - KEPT
        newest = {row.key: row for row in self._rows() if row.deadline >= since}
        with self._lock:
            self._shorten(list(newest.values()))
        return list(newest.values())

    def _rows(self) -> Iterator[EffectRow]:
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreUnavailable(f"cannot read {self._path}: {error.strerror}") from error
        for line in lines:
            if (row := _row(line)) is not None:
                yield row

    def _shorten(self, rows: list[EffectRow]) -> None:
        """Nobody else writes while the leader takes over; what cannot be shortened only stays long."""
        text = b"".join(map(_line, rows))
        if self._path.exists() and self._path.stat().st_size > 2 * len(text):
            fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            with open(fresh, "wb", opener=_private) as stream:
                stream.write(text)
            fresh.replace(self._path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _line(row: EffectRow) -> bytes:
    body = {"key": row.key, "run": row.run, "step": row.step, "attempt": row.attempt, "until": row.deadline.isoformat()}
    return json.dumps(body, separators=(",", ":")).encode() + b"\n"


def _row(line: bytes) -> EffectRow | None:
    """None for a line that is not whole."""
    try:
        body = json.loads(line)
        until = datetime.fromisoformat(body["until"])
        return EffectRow(body["key"], EffectState.INTENT, body["run"], body["step"], body["attempt"], until)
    except (ValueError, KeyError, TypeError):
        return None
