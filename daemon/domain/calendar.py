"""Which day an occurrence reports on. Local rules, answers in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .job import Job, Occurrence
from .model import DataDate, Period
from .schedule import due_between

ONE = timedelta(days=1)
MOMENT = timedelta(microseconds=1)


def day_bounds(day: date, timezone: str) -> tuple[datetime, datetime]:
    """The local day as a half-open interval in UTC: 23 to 25 hours on change days, none where it was skipped."""
    return _midnight(day, timezone), _midnight(day + timedelta(days=1), timezone)


def _midnight(day: date, timezone: str) -> datetime:
    # A midnight inside a gap resolves, with fold 0, to the instant of the change: the first one of that day.
    return datetime.combine(day, time(), ZoneInfo(timezone)).astimezone(UTC)


def data_date(instant: datetime, timezone: str, zone_data: str, day: date | None = None) -> DataDate:
    """What a run due at `instant` reports on: the local day before, unless a person named another `day`."""
    local = instant.astimezone(ZoneInfo(timezone))
    day = day or local.date() - timedelta(days=1)
    start, end = day_bounds(day, timezone)
    return DataDate(
        day=day,
        start=start,
        end=end,
        local_date=day + timedelta(days=1),
        due_local=local.isoformat(),
        timezone=timezone,
        fold=local.fold,
        zone_data=zone_data,
        week=previous_week(day + ONE, timezone),
        month=previous_month(day + ONE, timezone),
    )


def previous_week(day: date, timezone: str) -> Period:
    """The whole week, Monday to Sunday, before the one that `day` lies in."""
    monday = day - timedelta(days=day.weekday() + 7)
    return _period(monday, monday + timedelta(days=6), timezone)


def previous_month(day: date, timezone: str) -> Period:
    """The whole month before the one that `day` lies in."""
    last = day.replace(day=1) - ONE
    return _period(last.replace(day=1), last, timezone)


def _period(first: date, last: date, timezone: str) -> Period:
    return Period(first, last, _midnight(first, timezone), _midnight(last + ONE, timezone))


def occurrence(job: Job, instant: datetime, zone_data: str) -> Occurrence:
    return Occurrence(job.id, instant, data_date(instant, job.timezone, zone_data))


def occurrence_for(job: Job, day: date, zone_data: str) -> Occurrence | None:
    """The first occurrence that reports on `day`: the one that a manual run for that day stands for.

    That of a job which follows another one is the one for which that job's success would make it due.
    """
    return next(occurrences(job, day, day, zone_data), None)


def occurrences(job: Job, first: date, last: date, zone_data: str) -> Iterator[Occurrence]:
    """Every occurrence that reports on one of these days, oldest first; none for a job that runs on request."""
    dating = job.dating
    if dating is None:
        return
    start, _ = day_bounds(first + ONE, dating.timezone)
    _, end = day_bounds(last + ONE, dating.timezone)
    for instant in due_between(dating.schedule, start - MOMENT, end - MOMENT):
        yield Occurrence(job.id, instant, data_date(instant, dating.timezone, zone_data))
