"""What the coming clock changes do to a schedule, for people to read before it happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from .schedule import Fold, Gap, Schedule, due_between, wall_times
from .zone import Change, next_changes

AROUND = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Preview:
    """One change of the zone's clock, and the due instants in the three hours before and after it."""

    change: Change
    due: tuple[datetime, ...]
    touched: bool
    """A time of the schedule lies inside the change, so that a rule decides about it."""
    more: bool = False


def previews(schedule: Schedule, now: datetime, limit: int = 2) -> list[Preview]:
    """The next changes; none where the zone's clock never changes."""
    return [_preview(schedule, change) for change in next_changes(schedule.timezone, now, limit)]


def _preview(schedule: Schedule, change: Change) -> Preview:
    found = list(islice(due_between(schedule, change.at - AROUND, change.at + AROUND), 13))
    return Preview(change, tuple(found[:12]), touches(schedule, change), more=len(found) > 12)


def touches(schedule: Schedule, change: Change) -> bool:
    """Whether the change leaves out or repeats a time that the schedule names."""
    if not schedule.by_wall_clock or schedule.hourly:
        return False
    low, high = sorted((change.local_before, change.local_after))
    first = next(wall_times(schedule)(low), None)
    return first is not None and first < high


def cautions(schedule: Schedule, now: datetime) -> Iterator[str]:
    """What is legal but may surprise."""
    if schedule.every is not None and schedule.every < timedelta(minutes=1):
        yield "it is due more than once a minute: every instant is a run with its own records"
    for change in next_changes(schedule.timezone, now, 2):
        if touches(schedule, change) and _unsaid(schedule, change):
            rule = "left out: it moves to the first time after" if change.is_gap else "shown twice: the first counts"
            yield f"on {change.local_before:%Y-%m-%d} a time of it is {rule}; say gap and fold to choose"


def _unsaid(schedule: Schedule, change: Change) -> bool:
    rule: Gap | Fold | None = schedule.gap if change.is_gap else schedule.fold
    return rule is None
