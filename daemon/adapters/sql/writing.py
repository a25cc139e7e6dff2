"""The transactions that write runs. Everything is encoded before the transaction begins, so that it stays short."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlalchemy import Connection, insert

from daemon.domain.model import Run
from daemon.domain.projection import Delivered, Effected, Intended, closed, effects, opened
from daemon.ports import AlreadyDelivered, Birth, Change, EffectState, Stale

from .deeds import key_used
from .rows import (
    asked_row,
    changed_head,
    closed_row,
    deed_row,
    event_rows,
    intent_row,
    ledger_row,
    receipt_row,
    run_row,
    shown,
    step_rows,
)
from .schema import DEEDS
from .statements import Statements


class Writing:
    """Rows of one run, written through prepared statements on whatever connection is given."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def birth(self, birth: Birth, owner: str) -> Callable[[Connection], bool]:
        """The unit of work that stores this run, and says whether it was new."""
        run = birth.run
        ledger = ledger_row(birth.ledger) if birth.ledger else None
        deed = deed_row(birth.deed) if birth.deed else None
        head = run_row(birth, owner)
        steps = list(step_rows(run, {}))
        happened = list(event_rows(run.id, birth.events, 0))
        effected = list(effects(run, run, birth.events))

        def work(connection: Connection) -> bool:
            if deed and key_used(connection, deed["key"]):
                return False
            if ledger and not self._sql.accounted.run(connection, ledger):
                return False
            # A person may have run this occurrence before it was due: it is accounted for all the same.
            if not self._sql.born.run(connection, head):
                return False
            self._sql.step.many(connection, steps)
            self._sql.event.many(connection, happened)
            self._effects(connection, run.id, effected)
            if deed:
                connection.execute(insert(DEEDS), [deed])
            return True

        return work

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
        folded = [
            {"message": message, "of": after.id, "reply": shown(change.replies.get(message, ""))}
            for message in change.folded
        ]

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
                row = {"effect": effect.key, "state": EffectState.VOID.value, "of": run}
                self._sql.voided.run(connection, row)

    def _intend(self, connection: Connection, run: str, effect: Intended) -> None:
        if not self._sql.intent.run(connection, intent_row(run, effect)):
            raise AlreadyDelivered(
                f"step {effect.step} of run {run}: effect {effect.key} was delivered, or may be now, by another"
            )
