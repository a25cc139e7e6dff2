"""Keeps account of rows that the figures leave out, so that each is named and none is dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ._sales import Finding

EXAMPLES = 5
_SHOWN = 60
MESSAGES = {
    "unreadable_timestamp": "rows in no day, their timestamp being missing or of another form than expected",
    "outside_window": "rows left out that the SELECT yielded outside of :start and :end",
    "unreadable_amount": "rows in no total, their amount being missing or no number",
    "unreadable_currency": "rows in no total, their currency being missing or no three-letter code",
    "unknown_status": "rows in no total, their status not being listed in the mapping",
    "ignored_status": "rows left out as the mapping says (such as cancelled orders)",
    "duplicate": "rows left out because they were delivered again or replaced by a later version",
    "missing_order_id": "sale rows without an order id, whose amounts count but make no order",
    "clock_change": "rows at a local time that the clock change repeats, taken as the earlier instant",
    "comparison_left_out": "rows of the comparison days left out for the same reasons",
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
