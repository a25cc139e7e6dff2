"""Where something is in the configuration, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.errors import ClockwrightError


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A file (or `$VARIABLE`) with line and column from 1; line 0 where there are no lines."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that a person has to mend, or, in a list of warnings, may want to look at."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    @classmethod
    def at(cls, place: Place, message: str, hint: str = "") -> Fault:
        return cls(place.file, place.line, place.column, message, hint)

    def __str__(self) -> str:
        place = Place(self.file, self.line, self.column)
        return f"{place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class ConfigError(ClockwrightError):
    """The configuration has faults; all of them."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("\n".join(map(str, faults)))
