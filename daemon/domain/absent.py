"""Why a job that was there is not in the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Absent:
    """By id where its own file says so; `unreadable` where a file tells nothing, not even whose it is.

    What is absent for no reason was removed.
    """

    faulty: Mapping[str, str] = field(default_factory=dict)
    unreadable: str = ""

    def why(self, job: str) -> str:
        return self.faulty.get(job, self.unreadable)
