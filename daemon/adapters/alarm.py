"""The alarm clock: APScheduler ends our sleep at the next due instant, and sweeps in between.

It holds no truth. Its thread can die while it says that it runs (agronholm/apscheduler PR 1132), so whoever waits
looks at the sweep's own progress and winds the clock again.
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

SWEEP_SECONDS = 10.0
SILENCE_SECONDS = 3 * SWEEP_SECONDS


class Alarm:
    """`ring` may be called from any thread and from a signal handler; one thread waits."""

    def __init__(self, sweep_seconds: float = SWEEP_SECONDS) -> None:
        self._sweep_seconds = sweep_seconds
        self._rung = threading.Event()
        self._swept = time.monotonic()
        self._scheduler = self._wind()
        self.rewound = 0
        """How often the clock was found dead and wound again."""

    def _wind(self) -> BackgroundScheduler:
        scheduler = BackgroundScheduler(timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True})
        scheduler.add_job(self._sweep, IntervalTrigger(seconds=self._sweep_seconds), id="sweep")
        scheduler.start()
        return scheduler

    def _sweep(self) -> None:
        self._swept = time.monotonic()
        self._rung.set()

    def ring(self) -> None:
        """End the current or the next wait now."""
        self._rung.set()

    def wait(self, until: datetime) -> None:
        """Sleep to `until`, to the next sweep, or to the next `ring`; never longer than a dead clock's silence."""
        self._scheduler.add_job(self._rung.set, DateTrigger(until), id="wake", replace_existing=True)
        self._rung.wait(3 * self._sweep_seconds)
        self._rung.clear()
        if time.monotonic() - self._swept > 3 * self._sweep_seconds:
            self._rewind()

    def _rewind(self) -> None:
        self.stop()
        self._scheduler = self._wind()
        self._swept = time.monotonic()
        self.rewound += 1

    def stop(self) -> None:
        # A job that is due at this very moment would be looked for where a stopped scheduler has none.
        self._scheduler.remove_all_jobs()
        self._scheduler.shutdown(wait=False)
