"""Instants and lengths of time as people read them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def local(instant: datetime, zone: str) -> str:
    """`Tue 2026-12-01 10:00 CET`; seconds where there are any."""
    at = instant.astimezone(ZoneInfo(zone))
    return at.strftime("%a %Y-%m-%d %H:%M:%S %Z" if at.second else "%a %Y-%m-%d %H:%M %Z")


def utc(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M:%SZ" if instant.second else "%Y-%m-%d %H:%MZ")


def clock(instant: datetime) -> str:
    """The time of day on this machine, for progress."""
    return f"{instant.astimezone():%H:%M:%S}"


def length(seconds: float) -> str:
    """`0.21 s`, `12.3 s`, `4 min 05 s`, `3 h 20 min`."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
