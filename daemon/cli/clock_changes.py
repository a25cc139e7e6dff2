"""What the next two clock changes do to a job, said before they happen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..domain import times

if TYPE_CHECKING:
    from ..domain.job import Job
    from ..domain.preview import Preview

SHOWN = 4


def lines(job: Job, now: datetime) -> Iterator[str]:
    """One line for each change near which the job is due."""
    for preview in _previews(job, now):
        if preview.due and job.schedule:
            yield f"{job.id}: {_told(preview, job.schedule.timezone)}"


def document(job: Job, now: datetime) -> list[dict[str, Any]]:
    return [
        {"at": preview.change.at, "due": list(preview.due), "decided_by_rule": preview.touched}
        for preview in _previews(job, now)
    ]


def _previews(job: Job, now: datetime) -> list[Preview]:
    from ..domain.preview import previews

    return previews(job.schedule, now) if job.schedule else []


def _told(preview: Preview, zone: str) -> str:
    """`the clock goes from 02:00 to 03:00 on Sun 2027-03-28; due at 03:00 CEST (by the rule for such times)`."""
    change = preview.change
    moved = f"from {change.local_before:%H:%M} to {change.local_after:%H:%M} on {change.local_before:%a %Y-%m-%d}"
    due = ", ".join(times.local(at, zone).split(" ", 2)[2] for at in preview.due[:SHOWN])
    more = " and so on" if preview.more or len(preview.due) > SHOWN else ""
    rule = " (by the rule for clock changes)" if preview.touched else ""
    return f"the clock goes {moved}; due around it at {due}{more}{rule}"
