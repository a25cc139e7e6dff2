"""What time it is."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for what people see; `boot` (seconds, counts suspend) for durations and leases."""

    def now(self) -> datetime: ...

    def boot(self) -> float: ...
