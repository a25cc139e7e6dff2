"""Where a zone's clock changes, and the stretches of constant offset between the changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
LAST_YEAR = 9998


@dataclass(frozen=True, slots=True)
class Change:
    """At the instant `at` the zone's offset goes from `before` to `after`."""

    at: datetime
    before: timedelta
    after: timedelta

    @property
    def local_before(self) -> datetime:
        """Wall time that the change cuts off."""
        return wall(self.at, self.before)

    @property
    def local_after(self) -> datetime:
        """Wall time from which the clock goes on."""
        return wall(self.at, self.after)

    @property
    def is_gap(self) -> bool:
        return self.after > self.before


@dataclass(frozen=True, slots=True)
class Stretch:
    """The instants from `start` up to `end`, all at one offset; `opening` and `closing` are the changes around it."""

    start: datetime
    end: datetime
    offset: timedelta
    opening: Change | None
    closing: Change | None

    @property
    def local_start(self) -> datetime:
        return wall(self.start, self.offset)

    @property
    def local_end(self) -> datetime:
        return wall(self.end, self.offset)

    def instant(self, local: datetime) -> datetime:
        return (local - self.offset).replace(tzinfo=UTC)

    def repeats(self, local: datetime) -> bool:
        """The clock has shown this wall time before."""
        return self.opening is not None and local < self.opening.local_before

    def is_repeated(self, local: datetime) -> bool:
        """The clock will show this wall time once more."""
        return self.closing is not None and local >= self.closing.local_after


def wall(instant: datetime, offset: timedelta) -> datetime:
    """What a clock at that offset shows, without a zone."""
    return (instant + offset).replace(tzinfo=None)


def stretches(zone: str, instant: datetime) -> Iterator[Stretch]:
    """From the one that holds `instant` on, in order; every new year (UTC) begins one as well."""
    for year in range(max(instant.astimezone(UTC).year, 3), LAST_YEAR):
        for stretch in _stretches(zone, year):
            if stretch.end > instant:
                yield stretch


@lru_cache(maxsize=8192)
def _stretches(zone: str, year: int) -> tuple[Stretch, ...]:
    """Those of one year; the first one's opening change may lie in the year before."""
    inner = changes(zone, year)
    openings = (next(iter(reversed(changes(zone, year - 1))), None), *inner)
    starts = (_new_year(year), *(change.at for change in inner))
    ends = (*starts[1:], _new_year(year + 1))
    offsets = (_offset(ZoneInfo(zone), starts[0]), *(change.after for change in inner))
    return tuple(map(Stretch, starts, ends, offsets, openings, (*inner, None)))


def next_changes(zone: str, instant: datetime, limit: int) -> list[Change]:
    """The changes after `instant`, looked for until the end of the year after next."""
    years = range(instant.year, min(instant.year + 3, LAST_YEAR))
    return [change for year in years for change in changes(zone, year) if change.at > instant][:limit]


@lru_cache(maxsize=8192)
def changes(zone: str, year: int) -> tuple[Change, ...]:
    """All changes of offset within that year (UTC), in order."""
    return tuple(_changes(ZoneInfo(zone), _new_year(year), _new_year(year + 1)))


def _new_year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


def _changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[Change]:
    # No zone has ever changed twice within a day.
    before = _offset(zone, start)
    while start < end:
        later = min(start + DAY, end)
        after = _offset(zone, later)
        if after != before and (at := _instant_of_change(zone, start, later)) < end:
            yield Change(at, before, after)
        start, before = later, after


def _instant_of_change(zone: ZoneInfo, low: datetime, high: datetime) -> datetime:
    """The first second at the new offset, in (low, high]."""
    before = _offset(zone, low)
    while high - low > SECOND:
        middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        low, high = (middle, high) if _offset(zone, middle) == before else (low, middle)
    return high


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta(0)
