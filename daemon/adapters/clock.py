"""The machine's clocks."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Wall time, and the boot clock, which goes on while the machine sleeps."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def boot(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)
