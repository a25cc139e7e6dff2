"""What a person, or a program in their name, asked the daemon to do: written down before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks, and from where: `page 127.0.0.1`, `cli host`, `trigger 10.0.0.7`."""

    name: str
    origin: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One line of the audit log. A deed with a `key` is done once: whoever repeats it gets the same run."""

    at: datetime
    by: str
    origin: str
    verb: str
    job: str = ""
    run: str = ""
    detail: str = ""
    key: str = ""
