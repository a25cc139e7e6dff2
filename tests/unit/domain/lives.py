"""A run of one plan, brought to a point of its life by the events that lead there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, AttemptStarted, Event, RunClaimed, RunStarted
from daemon.domain.fold import fold
from daemon.domain.model import Attempt, Failed, Outcome, Purpose, Reconciled, Run, Succeeded
from daemon.domain.plan import Plan, Step
from daemon.testing.tools import make_plan, make_run

T0 = datetime(2026, 3, 2, 10, tzinfo=UTC)
OK = Succeeded({"ok": True}, "done")


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def one_step(**fields: object) -> Plan:
    return make_plan([Step("s", **{"use": "look", **fields})])  # type: ignore[arg-type]  # each test names its own


def live(plan: Plan, events: Sequence[Event] = ()) -> Run:
    run = make_run(plan, T0)
    for event in (RunStarted(T0), *events):
        run = fold(plan, run, event)
    return run


def begun(number: int = 1, purpose: Purpose = Purpose.RUN, when: float = 0, step: str = "s") -> AttemptStarted:
    attempt = Attempt(number, purpose, at(when), at(when + 60), "input", "key")
    return AttemptStarted(at(when), step, attempt)


def ended(outcome: Outcome | Reconciled = OK, number: int = 1, when: float = 1, step: str = "s") -> AttemptEnded:
    return AttemptEnded(at(when), step, number, outcome)


def failed(kind: Kind, number: int = 1, when: float = 1, message: str = "m") -> list[Event]:
    """One try that fails."""
    return [begun(number, when=when - 1), ended(Failed(kind, message), number, when)]


def claimed(epoch: int = 2, when: float = 2) -> RunClaimed:
    return RunClaimed(at(when), "another", epoch)
