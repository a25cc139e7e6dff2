"""Instants as whole microseconds since 1970, which sort, and fit in 64 bits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, overload

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@overload
def micros(at: datetime) -> int: ...
@overload
def micros(at: None) -> None: ...
@overload
def micros(at: datetime | None) -> int | None: ...
def micros(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // _MICROSECOND


@overload
def instant(number: int) -> datetime: ...
@overload
def instant(number: None) -> None: ...
@overload
def instant(number: int | None) -> datetime | None: ...
def instant(number: int | None) -> datetime | None:
    return None if number is None else _EPOCH + timedelta(microseconds=number)
