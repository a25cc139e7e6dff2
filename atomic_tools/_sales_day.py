"""The local calendar day as instants: its bounds, its hours, and the days it is compared with."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ._contract import InvalidInputError
from ._sales import LocalDay

QUARTER = timedelta(minutes=15)
WEEK = timedelta(days=7)


@cache
def zone(name: str) -> ZoneInfo:
    """The named zone. Raises InvalidInputError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInputError(
            f"there is no time zone called {name!r}", hint="use an IANA name such as Europe/Berlin"
        ) from error


def local_day(day: date, timezone: str) -> LocalDay:
    """The day as a half-open interval of UTC instants; empty for a date that the zone skipped."""
    return LocalDay(
        date=day,
        timezone=timezone,
        start=_midnight(day, timezone),
        end=_midnight(day + timedelta(1), timezone),
    )


def _midnight(day: date, timezone: str) -> datetime:
    # fold=0: the first of two midnights; a midnight inside a gap becomes the instant of the change
    return datetime.combine(day, time(), zone(timezone)).astimezone(UTC)


def compared_dates(day: date) -> tuple[date, ...]:
    """Previous day, then the same weekday one to four weeks back."""
    return (day - timedelta(1), *(day - weeks * WEEK for weeks in range(1, 5)))


def days_needed(day: date, timezone: str) -> tuple[LocalDay, ...]:
    """The day and the days it is compared with, oldest first, without empty ones."""
    days = (local_day(each, timezone) for each in sorted({day, *compared_dates(day)}))
    return tuple(each for each in days if each.start < each.end)


def hour_starts(day: LocalDay) -> tuple[datetime, ...]:
    """Every instant of the day at which the wall clock shows a full hour or is moved (UTC)."""
    if day.start >= day.end:
        return ()
    local = zone(day.timezone)
    starts, offset, now = [day.start], day.start.astimezone(local).utcoffset(), day.start + QUARTER
    while now < day.end:
        wall = now.astimezone(local)
        if wall.minute == 0 or wall.utcoffset() != offset:
            starts.append(now)
        offset, now = wall.utcoffset(), now + QUARTER
    return tuple(starts)


def hour_label(start: datetime, timezone: str) -> str:
    """Wall time of an hour's start, with the offset when that wall time occurs twice."""
    wall = start.astimezone(zone(timezone))
    doubled = wall.replace(fold=0).utcoffset() != wall.replace(fold=1).utcoffset()
    return wall.strftime("%H:%M%z" if doubled else "%H:%M")


def whole_hours(days: tuple[LocalDay, ...]) -> bool:
    """Whether every hour of these days starts at a full hour of UTC as well."""
    return all(start.minute == 0 and start.second == 0 for day in days for start in hour_starts(day))
