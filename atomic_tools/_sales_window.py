"""Sorts instants into the needed days and into their hours, whole columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ._sales import LocalDay
from ._sales_day import hour_starts
from ._sales_stamps import Micros, micros_of

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Windows:
    """The report's day and the days it is compared with, in the order of time."""

    days: tuple[LocalDay, ...]
    report: LocalDay

    @cached_property
    def _starts(self) -> Micros:
        return np.array([micros_of(day.start) for day in self.days], dtype=np.int64)

    @cached_property
    def _ends(self) -> Micros:
        return np.array([micros_of(day.end) for day in self.days], dtype=np.int64)

    @cached_property
    def _hours(self) -> Micros:
        return np.array([micros_of(hour) for day in self.days for hour in hour_starts(day)], dtype=np.int64)

    def day_of(self, at: Micros) -> Micros:
        """The index of each instant's day, -1 outside of all of them."""
        if not self.days:
            return np.full(len(at), -1, dtype=np.int64)
        index = np.searchsorted(self._starts, at, side="right") - 1
        return np.where((index >= 0) & (at < self._ends[index]), index, -1)

    def inside(self, at: Micros, day: LocalDay) -> Mask:
        """Which instants lie in that day."""
        return (at >= micros_of(day.start)) & (at < micros_of(day.end))

    def hour_of(self, at: Micros) -> Micros:
        """The start of each instant's hour; for instants inside the days."""
        if not len(self._hours):
            return at
        return self._hours[np.maximum(np.searchsorted(self._hours, at, side="right") - 1, 0)]
