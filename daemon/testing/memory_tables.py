"""What the store in memory holds: the same things as the tables of the one on SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TypeVar

from daemon.domain import codec
from daemon.domain.alerts import Alert
from daemon.domain.deed import Deed
from daemon.domain.events import Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Escalation, Json, Run, StepRun
from daemon.domain.pause import Pause
from daemon.domain.projection import Closed, Delivered, Effected, Intended, Voided, closed, opened
from daemon.domain.revision import Revision
from daemon.domain.wake import wake_at
from daemon.ports import AlreadyDelivered, Change, EffectRow, EffectState, Message

T = TypeVar("T")


@dataclass(slots=True)
class Kept:
    """A run with what the SQL store keeps in columns and rows beside it."""

    run: Run
    owner: str
    wake: datetime | None = None
    events: list[Event] = field(default_factory=list)


@dataclass(slots=True)
class Lease:
    owner: str = ""
    epoch: int = 0
    expires: float = 0.0


@dataclass(slots=True)
class Question:
    run: str
    asked: Escalation
    open: bool = True
    closed: Closed | None = None


@dataclass(slots=True)
class Tables:
    """`strict` sends what is stored through the codec, as a database would."""

    strict: bool = False
    lease: Lease = field(default_factory=Lease)
    runs: dict[str, Kept] = field(default_factory=dict)
    open: dict[str, Kept] = field(default_factory=dict)
    revised: dict[tuple[str, datetime], dict[int, str]] = field(default_factory=dict)
    ledger: dict[tuple[str, datetime], LedgerRow] = field(default_factory=dict)
    watermarks: dict[str, datetime] = field(default_factory=dict)
    effects: dict[str, EffectRow] = field(default_factory=dict)
    questions: dict[tuple[str, str], Question] = field(default_factory=dict)
    inbox: dict[int, Message] = field(default_factory=dict)
    posted: int = 0
    replies: dict[int, str] = field(default_factory=dict)
    alerts: dict[str, Alert] = field(default_factory=dict)
    sources: dict[str, datetime] = field(default_factory=dict)
    plans: dict[str, Json] = field(default_factory=dict)
    revisions: dict[tuple[str, datetime], Revision] = field(default_factory=dict)
    pauses: dict[str, Pause] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)

    def copy(self) -> Tables:
        """Another one that shares only what never changes."""
        again = copy(self)
        for one in fields(self):
            setattr(again, one.name, copy(getattr(self, one.name)))
        again.runs = {run: replace(kept, events=[*kept.events]) for run, kept in self.runs.items()}
        again.open = {run: again.runs[run] for run in self.open}
        again.revised = {key: dict(known) for key, known in self.revised.items()}
        again.questions = {key: replace(question) for key, question in self.questions.items()}
        return again

    def account(self, row: LedgerRow) -> None:
        row = self.through(row)
        self.ledger.setdefault((row.occurrence.job, row.occurrence.instant), row)

    def note(self, deed: Deed) -> None:
        if not self.key_used(deed):
            self.deeds.append(deed)

    def key_used(self, deed: Deed | None) -> bool:
        return bool(deed and deed.key and any(deed.key == one.key for one in self.deeds))

    def store(self, kept: Kept, run: Run, events: Sequence[Event]) -> None:
        kept.run = self._run_through(run)
        kept.wake = wake_at(run)
        kept.events.extend(self.through(event) for event in events)
        if run.state.ended:
            self.open.pop(run.id, None)

    def refuse_delivered(self, run: Run, effected: Iterable[Effected]) -> None:
        for effect in effected:
            held = self.effects.get(effect.key) if isinstance(effect, Intended) else None
            if held and isinstance(effect, Intended) and not _may_intend(held, run.id, effect):
                raise AlreadyDelivered(f"run {run.id}: effect {effect.key} was delivered, or may be now, by another")

    def effect(self, run: str, effected: Iterable[Effected]) -> None:
        for effect in effected:
            if isinstance(effect, Intended):
                self._intend(run, effect)
            elif effect.key in self.effects:
                self.effects[effect.key] = _moved(self.effects[effect.key], effect, run)

    def ask(self, change: Change) -> None:
        run = change.after.id
        for asked in opened(change.events):
            self.questions.setdefault((run, asked.id), Question(run, asked))
        for answered in closed(change.before, change.after, change.events):
            if (run, answered.id) in self.questions:
                question = self.questions[run, answered.id]
                question.open, question.closed = False, answered

    def fold(self, message: int, run: str, reply: str) -> None:
        found = self.inbox.get(message)
        if found is not None and found.run == run:
            del self.inbox[message]
            self.replies[message] = reply

    def through(self, value: T) -> T:
        return codec.decode(type(value), codec.encode(value)) if self.strict else value

    def _intend(self, run: str, effect: Intended) -> None:
        held = self.effects.get(effect.key)
        row = EffectRow(effect.key, EffectState.INTENT, run, effect.step, effect.attempt, effect.deadline)
        self.effects[effect.key] = replace(row, output=held.output, summary=held.summary) if held else row

    def _run_through(self, run: Run) -> Run:
        if not self.strict:
            return run
        steps: dict[str, StepRun] = {name: self.through(step) for name, step in run.steps.items()}
        return replace(self.through(run), epoch=run.epoch, version=run.version, steps=steps)


def _may_intend(held: EffectRow, run: str, effect: Intended) -> bool:
    if held.state is EffectState.DELIVERED:
        return False
    return held.state is EffectState.VOID or held.run == run or not effect.sends


def _moved(row: EffectRow, effect: Delivered | Voided, run: str) -> EffectRow:
    """A receipt is never taken back, and what another run means to do is not this one's to void."""
    if isinstance(effect, Delivered):
        return replace(row, state=EffectState.DELIVERED, output=effect.output, summary=effect.summary)
    return replace(row, state=EffectState.VOID) if row.state is EffectState.INTENT and row.run == run else row
