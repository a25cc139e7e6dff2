"""Reads stamps of every stored form into UTC microseconds, whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._sales_day import zone
from ._sales_source import Reading

Micros = npt.NDArray[np.int64]
SECOND = 1_000_000
QUARTER = 900 * SECOND
UNREADABLE = np.iinfo(np.int64).min
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
Naive = Literal["utc", "local"] | None


@dataclass(frozen=True, slots=True)
class Stamps:
    """How one column's stamps are read; the same reader serves both modes, so they agree on every stamp."""

    naive: Naive
    timezone: str
    unit: int | None = None
    """Microseconds of one unit of a number; None where numbers are no stamps."""
    format: str | None = None
    any_offset: bool = False
    """Whether a text may carry an offset other than zero; local texts without this carry none at all."""

    def micros(self, values: Sequence[Any]) -> Micros:
        """UTC microseconds since 1970 of each value; UNREADABLE where it is no stamp of the expected form."""
        walls = _iso_walls(values) if self.format is None and self.unit is None else None
        if walls is not None:
            return self._from_walls(walls)
        return np.array([self._one(value) for value in values], dtype=np.int64)

    def doubtful(self, micros: Micros, rows: Micros) -> int:
        """How many rows lie in an hour that the zone repeats, with a local stamp that does not say which."""
        if self.naive != "local":
            return 0
        blocks, where = np.unique(micros // QUARTER, return_inverse=True)
        repeated = np.array([self._repeated(int(block)) for block in blocks], dtype=np.bool_)
        return int(rows[repeated[where]].sum())

    def _repeated(self, block: int) -> bool:
        wall = _instant(block * QUARTER).astimezone(zone(self.timezone))
        return wall.utcoffset() != wall.replace(fold=1 - wall.fold).utcoffset()

    def _from_walls(self, walls: Micros) -> Micros:
        if self.naive == "utc":
            return walls
        if self.naive is None:
            return np.full(len(walls), UNREADABLE, dtype=np.int64)
        # offsets change on quarters of an hour, so one look-up serves each quarter that occurs
        blocks, where = np.unique(walls // QUARTER, return_inverse=True)
        offsets = np.array([self._offset(int(block)) for block in blocks], dtype=np.int64)
        return walls - offsets[where]

    def _offset(self, block: int) -> int:
        wall = _instant(block * QUARTER).replace(tzinfo=zone(self.timezone))
        return _whole(wall.utcoffset() or timedelta(0))

    def _one(self, value: Any) -> int:
        stamp = self._read(value)
        if isinstance(stamp, int):
            return stamp
        if stamp is None or (stamp.tzinfo is None and self.naive is None):
            return UNREADABLE
        if stamp.tzinfo is not None:
            return _whole(stamp - _EPOCH)
        return int(self._from_walls(np.array([_whole(stamp.replace(tzinfo=UTC) - _EPOCH)]))[0])

    def _read(self, value: Any) -> datetime | int | None:
        if isinstance(value, str) and self.unit is None:
            return self._text(value)
        if isinstance(value, datetime):
            return value
        if isinstance(value, date):
            return datetime.combine(value, time())
        try:
            return None if value is None or self.unit is None else round(float(value) * self.unit)
        except (TypeError, ValueError, OverflowError):
            return None

    def _text(self, value: str) -> datetime | None:
        try:
            if self.format is not None:
                return datetime.strptime(value, self.format)  # noqa: DTZ007 - an offset is optional here
            stamp = datetime.fromisoformat(value)
        except ValueError:
            return None
        return stamp if self._expected(stamp) else None

    def _expected(self, stamp: datetime) -> bool:
        if stamp.tzinfo is None or self.any_offset:
            return True
        return self.naive == "utc" and not stamp.utcoffset()


def stamps_of(reading: Reading, timezone: str) -> Stamps:
    """The reader for a described timestamp column."""
    naive: Naive = reading.naive_means if reading.stored_as == "offset" else "utc"
    if reading.stored_as == "local":
        naive = "local"
    unit = {"epoch_seconds": SECOND, "epoch_millis": SECOND // 1000}.get(reading.stored_as)
    return Stamps(naive, timezone, unit, reading.timestamp_format, reading.stored_as == "offset")


def _iso_walls(values: Sequence[Any]) -> Micros | None:
    """Stamps that are all ISO texts without offset, read at once; None when any is something else."""
    if not values or not isinstance(values[0], str):
        return None
    try:
        texts = pa.array(values, pa.string())
        if texts.null_count:
            return None
        walls: Micros = texts.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None
    return walls


def micros_of(instant: datetime) -> int:
    """UTC microseconds since 1970."""
    return _whole(instant - _EPOCH)


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _whole(span: timedelta) -> int:
    return span // _MICROSECOND
