"""What a look at an installation found: one line each, with what mends it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """`fix` says what to do; empty where there is nothing to do."""

    area: str
    level: Level
    text: str
    fix: str = ""


def ok(area: str, text: str) -> Finding:
    return Finding(area, Level.OK, text)


def warn(area: str, text: str, fix: str) -> Finding:
    return Finding(area, Level.WARN, text, fix)


def fail(area: str, text: str, fix: str) -> Finding:
    return Finding(area, Level.FAIL, text, fix)


def worst(findings: Iterable[Finding]) -> Level:
    order = list(Level)
    return max((finding.level for finding in findings), key=order.index, default=Level.OK)
