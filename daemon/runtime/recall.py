"""After a store was put back: what it has forgotten is asked about before anything is sent."""

from __future__ import annotations

from dataclasses import replace

from ..ports import Notice, Severity
from .outside import Outside


def recall(outside: Outside) -> None:
    """Compare the store with the journal beside it, whenever it may be another one than it was. Raises StoreError.

    A forgotten intent is held as another run's, so that whoever is about to cause the effect asks its receiver first.
    """
    if outside.journal is None:
        return
    known = [replace(row, run=f"{row.run} before the store was put back") for row in outside.journal.entries()]
    forgotten = outside.store.remember(known, fence=outside.fence.epoch) if known else 0
    if forgotten:
        text = (
            f"the store is older than {forgotten} effects that were meant: their receivers are asked before any of them"
        )
        outside.sink.notice(Notice("store_is_older", text, Severity.WARNING))
