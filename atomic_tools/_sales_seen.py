"""What was seen of the report's day on the way: how much, from when to when, a few rows to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from ._sales_batch import Batch, Mask
from ._sales_review import Review
from ._sales_sql import Fetch
from ._sales_stamps import Micros
from ._sales_window import Windows

PREVIEW = 5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class Seen:
    """Of the report's day only."""

    rows: int = 0
    first: int | None = None
    last: int | None = None
    currencies: set[str] = field(default_factory=set)
    preview: list[dict[str, str]] = field(default_factory=list)

    def add(self, fetch: Fetch, batch: Batch, kept: Mask, table: pa.Table, review: Review) -> None:
        """Take note of one batch."""
        if fetch.facet == "line":
            return
        windows = review.windows
        today = kept & windows.inside(batch.at, windows.report)
        if not today.any():
            return
        self.rows += int(batch.rows[today].sum())
        self.currencies.update(code for n in np.unique(batch.currency[today]) if (code := batch.codes[n]))
        self._widen(batch.at[today])
        self._show(table, windows)

    def _widen(self, at: Micros) -> None:
        low, high = int(at.min()), int(at.max())
        self.first = low if self.first is None else min(low, self.first)
        self.last = high if self.last is None else max(high, self.last)

    def _show(self, table: pa.Table, windows: Windows) -> None:
        if len(self.preview) < PREVIEW:
            at = table.column("at").cast(pa.int64()).to_numpy()
            today = np.flatnonzero(windows.inside(at, windows.report))[: PREVIEW - len(self.preview)]
            self.preview += [_shown(row) for row in table.take(pa.array(today)).to_pylist()]


def _shown(row: dict[str, Any]) -> dict[str, str]:
    return {name: str(value)[:80] for name, value in row.items() if value is not None and name != "facet"}


def instant(micros: int | None) -> datetime | None:
    """UTC microseconds as an instant."""
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)
