"""Keeps account of rows that the figures leave out, so that each is named and none is dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ._sales import Finding

EXAMPLES = 5
_SHOWN = 60
MESSAGES = {
    "unreadable_timestamp": "rows have no timestamp or one of another form than expected; they are in no day",
    "outside_window": "rows that the SELECT yielded lie outside of :start and :end and were left out",
    "unreadable_amount": "rows have an amount that is missing or no number; they are in no total",
    "unreadable_currency": "rows have no currency or one that is no three-letter code; they are in no total",
    "unknown_status": "rows have a status that the mapping does not list; they are in no total",
    "ignored_status": "rows were left out as the mapping says (such as cancelled orders)",
    "duplicate": "rows were delivered again or replaced by a later version and were left out",
    "missing_order_id": "sale rows have no order id; their amounts count, but they make no order",
    "clock_change": "rows have a local time that the clock change repeats; the earlier instant was taken",
    "comparison_left_out": "rows of the comparison days were left out for the same reasons",
}


class Tally:
    """Counts by reason, with the first few examples."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, code: str, count: int, examples: Iterable[str] = ()) -> None:
        if count:
            self._counts[code] += count
            kept = self._examples.setdefault(code, [])
            named = (each[:_SHOWN] for each in examples if each)
            kept.extend(each for _, each in zip(range(EXAMPLES - len(kept)), named, strict=False))

    def findings(self) -> tuple[Finding, ...]:
        """One finding for each reason that occurred, in the fixed order of `MESSAGES`."""
        return tuple(
            Finding(code=code, count=self._counts[code], message=message, examples=tuple(self._examples[code]))
            for code, message in MESSAGES.items()
            if self._counts[code]
        )
