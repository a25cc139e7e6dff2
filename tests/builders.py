"""Small values of the domain for tests, and the next version of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from daemon.domain.events import AttemptStarted, Event
from daemon.domain.job import Disposition, LedgerRow, Occurrence
from daemon.domain.model import Attempt, DataDate, Escalation, Purpose, Run, RunState, StepRun, StepState
from daemon.ports import Birth, Change

T0 = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def a_data_date(day: date = date(2026, 2, 28)) -> DataDate:
    return DataDate(
        day=day,
        start=T0 - timedelta(hours=33),
        end=T0 - timedelta(hours=9),
        local_date=day + timedelta(days=1),
        due_local="2026-03-01T10:00:00+01:00",
        timezone="Europe/Berlin",
        fold=0,
        zone_data="2026a",
    )


def a_run(name: str = "run-1", *, job: str = "daily", at: datetime = T0, **values: Any) -> Run:
    steps = {name: StepRun(name) for name in ("query", "report", "send")}
    values = {"revision": 1, "plan": "plan-1", "queued_at": at, "steps": steps, **values}
    return Run(id=name, job=job, instant=at, data=a_data_date(), **values)


def a_ledger_row(run: Run, disposition: Disposition = Disposition.STARTED) -> LedgerRow:
    return LedgerRow(Occurrence(run.job, run.instant, run.data), disposition, "on time", run.id, run.queued_at)


def a_birth(run: Run, *events: Event) -> Birth:
    return Birth(replace(run, sequence=len(events)), tuple(events), a_ledger_row(run))


def an_attempt(number: int = 1, purpose: Purpose = Purpose.RUN, key: str | None = None) -> Attempt:
    return Attempt(number, purpose, T0, after(60), "input-digest", key)


def a_question(name: str = "ask-1", step: str | None = "send", asked: datetime = T0) -> Escalation:
    return Escalation(
        id=name,
        step=step,
        question="Send it again?",
        options=("retry", "skip", "abort"),
        default="abort",
        asked_at=asked,
        remind_at=asked + timedelta(hours=2),
        expires_at=asked + timedelta(hours=4),
        digest="what-is-asked",
    )


def next_run(run: Run, events: Sequence[Event] = (), **values: Any) -> Run:
    return replace(run, version=run.version + 1, sequence=run.sequence + len(events), **values)


def a_change(run: Run, *events: Event, step: StepRun | None = None, **values: Any) -> Change:
    """The next version of the run after these events, with one step put in its place."""
    if step is not None:
        values["steps"] = {**run.steps, step.step: step}
    return Change(run, next_run(run, events, **values), events)


def a_start(run: Run, step: str = "send", attempt: Attempt | None = None) -> Change:
    attempt = attempt or an_attempt()
    running = replace(run.steps[step], state=StepState.RUNNING, attempt=attempt, started=attempt.number)
    return a_change(run, AttemptStarted(T0, step, attempt), step=running, state=RunState.RUNNING)
