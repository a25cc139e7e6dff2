"""When a job is due: a schedule, and every instant that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias
from zoneinfo import ZoneInfo

from cronsim import CronSim

from .cron import parse
from .zone import DAY, SECOND, Change, Stretch, stretches

WallTimes: TypeAlias = Callable[[datetime], Iterator[datetime]]
"""The matching wall times from a given one on, in order."""

ANCHOR = datetime(2024, 1, 1)  # noqa: DTZ001 - wall time in whatever zone
"""Where intervals are counted from unless a job says otherwise: a Monday's midnight."""


MINUTE = timedelta(minutes=1)


class Gap(StrEnum):
    """What becomes of a wall time that a clock change leaves out."""

    SHIFT = "shift"
    SKIP = "skip"


class Fold(StrEnum):
    """Which of the two instants counts where a clock change shows a wall time twice."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A five-field cron expression, or an interval counted from an anchor, read in an IANA zone.

    Without a rule for clock changes the safe one holds: a job of fixed hours runs once per local day and time, an
    hourly one once per real hour.
    """

    cron: str = ""
    timezone: str = "UTC"
    every: timedelta | None = None
    anchor: datetime | None = None
    """Wall time, without a zone."""
    gap: Gap | None = None
    fold: Fold | None = None

    @property
    def written(self) -> str:
        """As people write it."""
        return self.cron or f"every {length(self.every or timedelta(0))}"

    @property
    def hourly(self) -> bool:
        """It follows real hours, not the wall clock."""
        return bool(self.cron) and len(_simulation(self.cron).hours) == 24

    @property
    def by_wall_clock(self) -> bool:
        """Its instants are wall times; an interval that is no number of days is counted in real time."""
        return self.every is None or self.every % DAY == timedelta(0)


def length(span: timedelta) -> str:
    """`1d12h`, `90s` as `1m30s`: the way durations are written in the configuration."""
    minutes, seconds = divmod(int(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s"), (span.microseconds // 1000, "ms"))
    return "".join(f"{amount}{unit}" for amount, unit in parts if amount) or "0s"


def due_after(schedule: Schedule, instant: datetime) -> Iterator[datetime]:
    """Every due instant strictly after `instant`, in order and without repetition, in UTC."""
    found = _on_wall(schedule, instant) if schedule.by_wall_clock else _in_steps(schedule, instant)
    return (due for due in found if due > instant)


def due_between(schedule: Schedule, after: datetime, until: datetime) -> Iterator[datetime]:
    """Due instants in the half-open interval (after, until]."""
    return takewhile(lambda due: due <= until, due_after(schedule, after))


def newest_due(schedule: Schedule, after: datetime, until: datetime, count: int) -> list[datetime]:
    """The last `count` due instants in (after, until], oldest first; however long the interval, only a part is read."""
    back = MINUTE
    while True:
        start = max(after, until - back)
        found = list(due_between(schedule, start, until))
        if len(found) >= count or start == after:
            return found[-count:]
        back *= 4


def _in_steps(schedule: Schedule, instant: datetime) -> Iterator[datetime]:
    """An interval of real time."""
    every = schedule.every or SECOND
    anchor = (schedule.anchor or ANCHOR).replace(tzinfo=ZoneInfo(schedule.timezone)).astimezone(UTC)
    due = anchor + (instant.astimezone(UTC) - anchor) // every * every
    while True:
        due += every
        yield due


def _on_wall(schedule: Schedule, instant: datetime) -> Iterator[datetime]:
    times = wall_times(schedule)
    gap = schedule.gap or (Gap.SKIP if schedule.hourly else Gap.SHIFT)
    fold = schedule.fold or (Fold.BOTH if schedule.hourly else Fold.FIRST)
    pending: datetime | None = None
    for stretch in stretches(schedule.timezone, instant):
        low = stretch.local_start + max(instant - stretch.start, timedelta(0))
        shifted = pending is not None and gap is Gap.SHIFT and _shifts(times, stretch)
        if shifted:
            yield stretch.start
        if pending is not None and pending >= stretch.local_end:
            continue  # nothing matches before the next change
        for local in times(low):
            pending = local
            if local >= stretch.local_end:
                break
            if _counts(fold, stretch, local) and not (shifted and local == stretch.local_start):
                yield stretch.instant(local)
        else:
            return  # nothing ever matches again


def _counts(fold: Fold, stretch: Stretch, local: datetime) -> bool:
    """Whether this of the two instants is the one wanted; where there is only one it is."""
    if fold is Fold.FIRST:
        return not stretch.repeats(local)
    return fold is Fold.BOTH or not stretch.is_repeated(local)


def _shifts(times: WallTimes, stretch: Stretch) -> bool:
    """Whether the change that opens the stretch has left out a matching wall time of a day that exists."""
    change = stretch.opening
    if change is None or not change.is_gap or change.at != stretch.start:
        return False
    lost = takewhile(lambda local: local < change.local_after, times(change.local_before))
    return any(_day_exists(change, local.date()) for local in lost)


def _day_exists(gap: Change, day: date) -> bool:
    """Apia left out 30 December 2011 as a whole: nothing is due on a day that is not."""
    midnight = datetime.combine(day, time())
    return not (gap.local_before <= midnight and midnight + DAY <= gap.local_after)


def wall_times(schedule: Schedule) -> WallTimes:
    """What the schedule names, as wall times and without regard to clock changes."""
    if schedule.every is None:
        return lambda low: _matches(schedule.cron, low)
    every, anchor = schedule.every, schedule.anchor or ANCHOR
    return lambda low: _multiples(every, anchor, low)


def _matches(cron: str, low: datetime) -> Iterator[datetime]:
    """Without a zone cronsim only matches fields; what clock changes mean is ours to say."""
    simulation = copy(_simulation(cron))
    whole = low.replace(microsecond=0)
    simulation.dt = whole if whole < low else whole - SECOND
    return simulation


def _multiples(every: timedelta, anchor: datetime, low: datetime) -> Iterator[datetime]:
    local = anchor - (anchor - low) // every * every
    while True:
        yield local
        local += every


@lru_cache(maxsize=16_384)
def _simulation(cron: str) -> CronSim:
    return CronSim(parse(cron).fields, ANCHOR)
