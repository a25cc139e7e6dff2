"""A day of the whole fleet in a few lines: what went well, what did not, and what waits for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from .alert_words import escaped, shortened
from .alerts import Topic, Trouble
from .model import RunState
from .severity import Severity

MOST = 20
REASON_CHARS = 150


@dataclass(frozen=True, slots=True)
class RunEnd:
    """One run that ended that day."""

    job: str
    date: str
    state: RunState
    reason: str = ""
    late: bool = False


@dataclass(frozen=True, slots=True)
class FleetDay:
    """From `since` up to `until`; `questions` are open at its end, `unstarted` got no run; costs as written down."""

    since: datetime
    until: datetime
    ends: Sequence[RunEnd] = ()
    unstarted: Sequence[str] = ()
    questions: Sequence[str] = ()
    costs: Sequence[str] = ()

    def count(self, state: RunState) -> int:
        return sum(1 for end in self.ends if end.state is state)

    @property
    def late(self) -> int:
        return sum(1 for end in self.ends if end.late)


def summed_up(day: FleetDay) -> Trouble:
    counts = f"{day.count(RunState.SUCCEEDED)} succeeded, {day.late} late, {day.count(RunState.DEGRADED)} degraded"
    rest = f"{day.count(RunState.FAILED)} failed, {len(day.unstarted)} not started, {len(day.questions)} open questions"
    headline = f"The day until {day.until:%Y-%m-%d %H:%MZ}: {counts}, {rest}; cost {cost(day.costs)}"
    return Trouble(
        source=f"digest/{day.until.isoformat()}",
        topic=Topic.DIGEST,
        at=day.until,
        text=headline,
        cause="\n".join(_lines(day, headline)),
        next="",
        severity=Severity.INFO,
    )


def cost(costs: Sequence[str]) -> str:
    """The exact sum; what is unknown is named, never taken for nothing."""
    known, unknown = Decimal(0), 0
    for each in costs:
        try:
            known += Decimal(each)
        except InvalidOperation:
            unknown += 1
    total = f"{known.normalize():f}" if known else "0"
    return f"{total} and that of {unknown} decisions, which is unknown" if unknown else total


def _lines(day: FleetDay, headline: str) -> Iterator[str]:
    yield f"**{escaped(headline)}**"
    for state in (RunState.FAILED, RunState.DEGRADED):
        yield from _named(str(state), [_end(end) for end in day.ends if end.state is state])
    yield from _named("late", [f"{escaped(end.job)} for {end.date}" for end in day.ends if end.late])
    yield from _named("not started", [escaped(text) for text in day.unstarted])
    yield from _named("waits for a person", [escaped(text) for text in day.questions])


def _named(what: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        more = f"\n- and {len(entries) - MOST} more" if len(entries) > MOST else ""
        yield f"\n{what}:\n" + "\n".join(f"- {entry}" for entry in entries[:MOST]) + more


def _end(end: RunEnd) -> str:
    return f"{escaped(end.job)} for {end.date}: {escaped(shortened(end.reason, REASON_CHARS))}"
