"""The daemon in one line, for `systemctl status`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from .deadlines import Deadline
from .numbers import counted

STANDS_BY = "standing by: another daemon holds the lease"


def status_line(due: Mapping[str, Deadline], now: datetime, *, runs: int, questions: int, paused: str = "") -> str:
    """`3 jobs, next daily at 2026-03-02 10:00Z, 1 run open, 1 question open, overdue: weekly`.

    `paused` says who paused everything.
    """
    parts = [*([paused] if paused else []), counted(len(due), "job")]
    upcoming = {job: at.next_due for job, at in due.items() if at.next_due}
    if upcoming:
        job = min(upcoming, key=lambda job: (upcoming[job], job))
        parts.append(f"next {job} at {upcoming[job]:%Y-%m-%d %H:%MZ}")
    parts += [f"{counted(number, word)} open" for number, word in ((runs, "run"), (questions, "question")) if number]
    late = sorted(job for job, at in due.items() if at.overdue(now))
    return ", ".join([*parts, *([f"overdue: {', '.join(late[:3])}{' …' * (len(late) > 3)}"] if late else [])])
