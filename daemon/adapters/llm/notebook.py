"""What is kept between decisions and across restarts: what was spent, and answers that may be used again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS spent (
    id INTEGER PRIMARY KEY, day TEXT NOT NULL, job TEXT NOT NULL, run TEXT NOT NULL, decision TEXT NOT NULL,
    tokens INTEGER NOT NULL, micros INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS spent_day ON spent (day, job);
CREATE INDEX IF NOT EXISTS spent_run ON spent (run);
CREATE TABLE IF NOT EXISTS answers (prompt TEXT PRIMARY KEY, text TEXT NOT NULL, expires REAL NOT NULL);
"""


class Notebook:
    """A SQLite file of its own, so that counting tokens costs the store no commit. Thread safe.

    Not flushed at each write: a power cut may forget the last few tokens, never a decision.
    """

    def __init__(self, path: Path | None = None) -> None:
        """In memory without a path."""
        if path:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute("PRAGMA busy_timeout=2000")
        self._connection.executescript(_SCHEMA)
        if path:
            path.chmod(0o600)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, alone. Raises sqlite3.Error."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._connection.close()
