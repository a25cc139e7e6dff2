"""The transactions that write runs. Everything is encoded before the transaction begins, so that it stays short."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlalchemy import Connection, select

from daemon.domain.model import Run
from daemon.domain.projection import Delivered, Effected, Intended, closed, effects, opened
from daemon.ports import AlreadyDelivered, Birth, Change, EffectState, Stale

from .instants import micros
from .rows import (
    asked_row,
    changed_head,
    closed_row,
    event_rows,
    intent_row,
    ledger_row,
    receipt_row,
    run_row,
    step_rows,
)
from .schema import LEDGER
from .statements import Statements


class Writing:
    """Rows of one run, written through prepared statements on whatever connection is given."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def birth(self, connection: Connection, birth: Birth, owner: str) -> bool:
        run = birth.run
        if _accounted(connection, birth):
            return False
        born = self._sql.born.run(connection, run_row(birth, owner))
        # A person may have run this occurrence before it was due: it is accounted for all the same.
        if birth.ledger and not self._sql.accounted.run(connection, ledger_row(birth.ledger)):
            raise Stale(f"another daemon accounted for {run.job} at {run.instant} at this very moment")
        if not born:
            return False
        self._sql.step.many(connection, list(step_rows(run, {})))
        self._sql.event.many(connection, list(event_rows(run.id, birth.events, 0)))
        self._effects(connection, run.id, list(effects(run, run, birth.events)))
        return True

    def claim(self, connection: Connection, run: Run, owner: str) -> Run:
        row = {"run": run.id, "owner": owner, "at_epoch": run.epoch, "was": run.version}
        if run.state.ended:
            raise Stale(f"run {run.id} has ended: {run.state.value}")
        if not self._sql.claim.run(connection, row):
            raise Stale(f"run {run.id} was claimed by another driver at this very moment")
        return replace(run, epoch=run.epoch + 1, version=run.version + 1)

    def change(self, change: Change) -> Callable[[Connection], None]:
        """The unit of work that stores this change."""
        before, after, events = change.before, change.after, change.events
        head = changed_head(change)
        steps = list(step_rows(after, before.steps))
        happened = list(event_rows(after.id, events, before.sequence))
        effected = list(effects(before, after, events))
        asked = [asked_row(after.id, one) for one in opened(events)]
        settled = [closed_row(after.id, one) for one in closed(before, after, events)]
        folded = [{"message": message, "of": after.id} for message in change.folded]

        def work(connection: Connection) -> None:
            if not self._sql.head.run(connection, head):
                raise Stale(f"run {after.id} is no longer at epoch {after.epoch}, version {before.version}")
            self._sql.step.many(connection, steps)
            self._sql.event.many(connection, happened)
            self._effects(connection, after.id, effected)
            self._sql.asked.many(connection, asked)
            self._sql.closed.many(connection, settled)
            self._sql.folded.many(connection, folded)

        return work

    def _effects(self, connection: Connection, run: str, effected: Iterable[Effected]) -> None:
        for effect in effected:
            if isinstance(effect, Intended):
                self._intend(connection, run, effect)
            elif isinstance(effect, Delivered):
                self._sql.delivered.run(connection, receipt_row(effect))
            else:
                row = {"effect": effect.key, "state": EffectState.VOID.value}
                self._sql.voided.run(connection, row)

    def _intend(self, connection: Connection, run: str, effect: Intended) -> None:
        if not self._sql.intent.run(connection, intent_row(run, effect)):
            raise AlreadyDelivered(f"step {effect.step} of run {run}: effect {effect.key} was delivered already")


def _accounted(connection: Connection, birth: Birth) -> bool:
    if birth.ledger is None:
        return False
    due = birth.ledger.occurrence
    key = select(LEDGER.c.job).where(LEDGER.c.job == due.job, LEDGER.c.instant == micros(due.instant))
    return connection.execute(key).first() is not None
