"""Decides which rows of a batch count, and writes the others into the tally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ._sales_batch import Batch, Mask
from ._sales_sql import Fetch
from ._sales_stamps import UNREADABLE, Stamps
from ._sales_tally import Tally
from ._sales_terms import COUNTING, LEFT_OUT, SALE
from ._sales_window import Windows

_EXPECTED = ("ignored_status", "duplicate")


@dataclass(frozen=True)
class Review:
    """The days that are needed, and the account of what was left out of them."""

    windows: Windows
    stamps: Stamps
    tally: Tally

    def kept(self, fetch: Fetch, batch: Batch) -> Mask:
        """Which rows count. The same row is written into the tally once, whatever else it is fetched for."""
        here = self._here(fetch, batch)
        counting = here & np.isin(batch.letters, COUNTING)
        known = batch.known_currency
        if fetch.facet in ("all", "order"):
            self._account_stamps(fetch, batch, here)
            for letter, code in LEFT_OUT.items():
                self._account(code, batch, here & (batch.letters == letter))
            self._account("unreadable_currency", batch, counting & ~known)
        if fetch.facet != "count":
            self._account("unreadable_amount", batch, counting & known & batch.bad_amount)
            self._account_ids(fetch, batch, counting & (batch.letters == SALE))
        return counting & known & ~batch.bad_amount

    def _here(self, fetch: Fetch, batch: Batch) -> Mask:
        if fetch.window is not None:
            return self.windows.inside(batch.at, fetch.window)
        return self.windows.day_of(batch.at) >= 0

    def _account_stamps(self, fetch: Fetch, batch: Batch, here: Mask) -> None:
        unreadable = batch.at == UNREADABLE
        self._add("unreadable_timestamp", batch, unreadable, lambda row: batch.raw["stamp"][row])
        if fetch.window is not None:
            self._add("outside_window", batch, ~here & ~unreadable, lambda row: batch.raw["stamp"][row])
        today = self.windows.inside(batch.at, self.windows.report)
        self.tally.add("clock_change", self.stamps.doubtful(batch.at[today], batch.rows[today]))

    def _account(self, code: str, batch: Batch, rows: Mask) -> None:
        today = self.windows.inside(batch.at, self.windows.report)
        self._add(code, batch, rows & today, lambda row: batch.odd.get(row, self._text(code, batch, row)))
        if code not in _EXPECTED:
            self.tally.add("comparison_left_out", int(batch.rows[rows & ~today].sum()))

    def _account_ids(self, fetch: Fetch, batch: Batch, rows: Mask) -> None:
        if fetch.facet == "line" or "rows" in batch.raw:
            return
        missing = np.array([each is None for each in batch.raw["order_id"]], dtype=np.bool_)
        self._account("missing_order_id", batch, rows & missing)

    def _text(self, code: str, batch: Batch, row: int) -> object:
        return batch.raw["currency"][row] if code == "unreadable_currency" and "currency" in batch.raw else None

    def _add(self, code: str, batch: Batch, rows: Mask, shown: Callable[[int], object]) -> None:
        found = np.flatnonzero(rows)
        if len(found):
            examples = (_example(batch, int(row), shown(int(row))) for row in found)
            self.tally.add(code, int(batch.rows[rows].sum()), examples)


def _example(batch: Batch, row: int, text: object) -> str:
    order = batch.raw["order_id"][row] if "order_id" in batch.raw else batch.named.get(row)
    shown = [f"order {order}"] * (order is not None) + [repr(text)] * (text is not None)
    return ": ".join(shown)
