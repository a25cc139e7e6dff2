"""Five-field cron expressions, read strictly: what cannot be meant is refused with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from cronsim import CronSim, CronSimError

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
FIELDS = (
    ("minute", "0 to 59", 60),
    ("hour", "0 to 23", 24),
    ("day of month", "1 to 31, L or LW", 31),
    ("month", "1 to 12 or JAN to DEC", 12),
    ("day of week", "0 to 7 or SUN to SAT, where 0 and 7 are Sunday", 7),
)
# 2000 was a leap year that began on a Saturday: from here every date and weekday comes within 50 years.
EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - local wall time, no instant


@dataclass(frozen=True, slots=True)
class Cron:
    """A checked expression: `written` as the person wrote it, `fields` with the alias expanded, for cronsim."""

    written: str
    fields: str
    often: bool
    """It fires more than once on some local date."""
    cautions: tuple[str, ...] = ()
    """What is legal but may surprise."""


@lru_cache(maxsize=4096)
def parse(expression: str) -> Cron:
    """Raises ValueError, whose message is the reason in one line."""
    fields = " ".join(_expand(expression.strip()).split())
    for number, text in enumerate(fields.split()):
        _check_field(number, text)
    simulation = _simulate(fields)
    return Cron(
        written=expression,
        fields=fields,
        often=len(simulation.minutes) * len(simulation.hours) > 1,
        cautions=tuple(_cautions(fields)),
    )


def _expand(text: str) -> str:
    if text.startswith("@"):
        if text.lower() not in ALIASES:
            raise ValueError(f"{text} is no known alias; there are {', '.join(ALIASES)}")
        return ALIASES[text.lower()]
    count = len(text.split())
    if count == 0:
        raise ValueError("it is empty; write five fields: minute hour day month weekday")
    if count != 5:
        extra = "; seconds are not supported" if count == 6 else ""
        raise ValueError(f"it has {count} fields; cron takes five: minute hour day month weekday{extra}")
    return text


def _check_field(number: int, text: str) -> None:
    """Try the field alone, so that the message can name it."""
    name, allowed, size = FIELDS[number]
    for term in text.split(","):
        step = term.partition("/")[2]
        if step.isdecimal() and int(step) > size:
            raise ValueError(f"the {name} field {text!r} has the step {step}, longer than the field")
    others = ["*"] * 5
    others[number] = text
    try:
        CronSim(" ".join(others), EPOCH)
    except (CronSimError, ValueError, AssertionError) as error:
        raise ValueError(f"the {name} field {text!r} is not valid; it takes {allowed}") from error


def _simulate(fields: str) -> CronSim:
    try:
        simulation = CronSim(fields, EPOCH)
        next(simulation)
    except (CronSimError, StopIteration) as error:
        raise ValueError("no date ever matches it, so it would never fire") from error
    return simulation


def _cautions(fields: str) -> list[str]:
    minute, _, day, _, weekday = fields.split()
    found = [_uneven(number, text) for number, text in enumerate(fields.split()[:2])]
    if minute == "*":
        found.append("it fires every minute")
    if not day.startswith("*") and not weekday.startswith("*"):
        found.append("both day fields are set: it fires when either matches")
    return [caution for caution in found if caution]


def _uneven(number: int, text: str) -> str:
    name, _, size = FIELDS[number]
    step = text.removeprefix("*/")
    if step == text or not step.isdecimal() or size % int(step) == 0:
        return ""
    return f"the {name} step {step} does not divide {size}: the last gap is shorter"
