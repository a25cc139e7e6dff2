"""Which stored stamps can belong to the days that are needed: bounds that an index can serve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ._contract import MisconfiguredError
from ._sales import LocalDay
from ._sales_day import zone
from ._sales_dialect import Expression, Type, is_number
from ._sales_source import Reading

ONE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A condition on the stamp. `dated`: a needed day is near; otherwise the stamp may be none at all."""

    condition: Expression
    dated: bool = True


def stored(instant: datetime, reading: Reading, timezone: str, *, as_text: bool) -> Any:
    """An instant as the column stores stamps: for `:start` and `:end`, and for typed columns."""
    match reading.stored_as:
        case "epoch_seconds":
            return int(instant.timestamp())
        case "epoch_millis":
            return int(instant.timestamp() * 1000)
        case "local":
            shown = instant.astimezone(zone(timezone)).replace(tzinfo=None)
        case "offset":
            shown = instant.astimezone(UTC)
        case _:
            shown = instant.astimezone(UTC).replace(tzinfo=None)
    if not as_text:
        return shown
    return shown.strftime(reading.timestamp_format) if reading.timestamp_format else shown.isoformat(" ")


def conditions(
    stamp: Expression, kind: Type, reading: Reading, days: Sequence[LocalDay], *, sqlite: bool, indexed: bool
) -> list[Stretch]:
    """One per contiguous row of days, and one for rows whose stamp can be no stamp at all.

    Text columns get whole calendar days, so some rows outside come along; the tool drops them by instant.
    """
    if reading.timestamp_format is not None:
        return [
            Stretch(sa.true(), dated=False)
        ]  # texts such as 03/09/2026 do not sort by time: every row has to be looked at
    if _holds_text(kind, reading, sqlite=sqlite):
        texts = [Stretch(_text_days(stamp, first, last, reading)) for first, last in _dates(days, reading)]
        # an index serves one range at a time; without one, a single look at every row is better
        undated = _undated(stamp, days)
        return [
            *texts,
            *(Stretch(each, dated=False) for each in (undated if indexed else [sa.or_(*undated)])),
        ]
    if not is_number(kind) and reading.stored_as.startswith("epoch") and not isinstance(kind, sa.types.NullType):
        raise MisconfiguredError("the timestamp column holds no numbers", hint="set stored_as to utc, local or offset")
    spans = [Stretch(_span(stamp, kind, reading, first, last)) for first, last in _stretches(days)]
    return [*spans, Stretch(stamp.is_(None), dated=False)]


def _holds_text(kind: Type, reading: Reading, *, sqlite: bool) -> bool:
    if reading.stored_as.startswith("epoch"):
        return False
    if is_number(kind) and not isinstance(kind, sa.types.NullType):
        raise MisconfiguredError(
            "the timestamp column holds numbers", hint="set stored_as: epoch_seconds or epoch_millis"
        )
    return sqlite or isinstance(kind, sa.types.String)


def _stretches(days: Sequence[LocalDay]) -> list[tuple[LocalDay, LocalDay]]:
    stretches: list[tuple[LocalDay, LocalDay]] = []
    for day in days:
        if stretches and stretches[-1][1].end == day.start:
            stretches[-1] = (stretches[-1][0], day)
        else:
            stretches.append((day, day))
    return stretches


def _span(stamp: Expression, kind: Type, reading: Reading, first: LocalDay, last: LocalDay) -> Expression:
    if isinstance(kind, sa.Date):
        return stamp.between(first.date, last.date)
    if isinstance(kind, sa.DateTime) and kind.timezone:
        return sa.and_(stamp >= first.start, stamp < last.end)
    low, high = (stored(each, reading, first.timezone, as_text=False) for each in (first.start, last.end))
    if reading.stored_as == "local":
        # the wall clock of a day is midnight to midnight, whatever was skipped or repeated in it
        low = datetime(first.date.year, first.date.month, first.date.day)  # noqa: DTZ001 - a wall time
        high = datetime(last.date.year, last.date.month, last.date.day) + ONE  # noqa: DTZ001 - a wall time
    return sa.and_(stamp >= low, stamp < high)


def _dates(days: Sequence[LocalDay], reading: Reading) -> list[tuple[date, date]]:
    """The calendar dates that stamps without offset may carry, as stretches without gaps between."""
    merged: list[tuple[date, date]] = []
    for day in days:
        first, last = (
            (day.date, day.date) if _is_local(reading) else (day.start.date(), (day.end - timedelta(0, 1)).date())
        )
        if merged and first <= merged[-1][1] + ONE:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _is_local(reading: Reading) -> bool:
    return "local" in (reading.stored_as, reading.naive_means)


def _text_days(stamp: Expression, first: date, last: date, reading: Reading) -> Expression:
    plain = _between(stamp, first.isoformat(), (last + ONE).isoformat())
    if reading.stored_as != "offset":
        return plain
    return _between(stamp, (first - ONE).isoformat(), (last + ONE + ONE).isoformat())


def _undated(stamp: Expression, days: Sequence[LocalDay]) -> list[Expression]:
    """Stamps that are no ISO date of 1900 to 2099, and other forms (slash, compact) of the years in question.

    No bound may look like a number: SQLite would then compare it as one with a column declared DATETIME.
    """
    years = sorted({day.start.year for day in days} | {day.end.year for day in days})
    odd = [(f"{year - 1}:", f"{year}-") for year in years] + [(f"{year}-~", f"{year}:") for year in years]
    outside = [stamp.is_(None), stamp < _text("1900-"), stamp >= _text("20:"), _between(stamp, "1:", "2000-")]
    return [*outside, *(_between(stamp, low, high) for low, high in odd)]


def _between(stamp: Expression, low: str, high: str) -> Expression:
    return sa.and_(stamp >= _text(low), stamp < _text(high))


def _text(value: str) -> Expression:
    # a bound value, not a literal: the statements of all stretches are then one to the compiler's cache
    return sa.bindparam(None, value, sa.Text)
