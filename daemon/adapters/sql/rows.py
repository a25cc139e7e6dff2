"""Values of the domain as rows of the tables, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import Row as SqlRow

from daemon.domain import codec
from daemon.domain.deed import Deed
from daemon.domain.events import Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Escalation, Json, Run, StepRun
from daemon.domain.projection import Closed, Delivered, Intended
from daemon.domain.wake import wake_at
from daemon.ports import Birth, Change, EffectRow, EffectState, Message, StoreError, Unreadable

from .instants import instant, micros
from .statements import Row

T = TypeVar("T")


def head_row(run: Run) -> Row:
    """What every commit writes of a run."""
    return {
        "run": run.id,
        "epoch": run.epoch,
        "version": run.version,
        "state": run.state.value,
        "open": int(not run.state.ended),
        "reason": shown(run.reason),
        "started_at": micros(run.started_at),
        "ended_at": micros(run.ended_at),
        "wake_at": micros(wake_at(run)),
        "body": write(run),
    }


def changed_head(change: Change) -> Row:
    return {**head_row(change.after), "was": change.before.version}


def run_row(birth: Birth, owner: str) -> Row:
    run = birth.run
    return {
        **head_row(run),
        "id": run.id,
        "job": run.job,
        "instant": micros(run.instant),
        "revision": run.revision,
        "data_date": run.data.day.isoformat(),
        "plan": run.plan,
        "cause": run.cause,
        "owner": owner,
        "queued_at": micros(run.queued_at),
    }


def step_rows(run: Run, known: Mapping[str, StepRun]) -> Iterator[Row]:
    """The steps that are not the very values that are stored already."""
    for position, (name, step) in enumerate(run.steps.items()):
        if known.get(name) is not step:
            yield {
                "run": run.id,
                "step": name,
                "position": position,
                "state": step.state.value,
                "body": write(step),
            }


def event_rows(run: str, events: Iterable[Event], sequence: int) -> Iterator[Row]:
    for seq, event in enumerate(events, sequence + 1):
        yield {
            "run": run,
            "seq": seq,
            "at": micros(event.at),
            "kind": type(event).__name__,
            "step": getattr(event, "step", None),
            "body": write(codec.slim(event)),
        }


def intent_row(run: str, effect: Intended) -> Row:
    return {
        "key": effect.key,
        "state": EffectState.INTENT.value,
        "run": run,
        "step": effect.step,
        "attempt": effect.attempt,
        "deadline": micros(effect.deadline),
        "receipt": None,
        "sends": int(effect.sends),
    }


def known_intent(row: EffectRow) -> Row:
    """As it is put back from the journal beside the store."""
    return intent_row(row.run, Intended(row.key, row.step, row.attempt, row.deadline))


def receipt_row(effect: Delivered) -> Row:
    receipt = write_json({"output": effect.output, "summary": effect.summary})
    return {"effect": effect.key, "state": EffectState.DELIVERED.value, "receipt": receipt}


def asked_row(run: str, asked: Escalation) -> Row:
    return {
        "run": run,
        "id": asked.id,
        "open": 1,
        "asked_at": micros(asked.asked_at),
        "expires_at": micros(asked.expires_at),
        "closed_at": None,
        "option": "",
        "closed_by": "",
        "body": write(asked),
    }


def closed_row(run: str, closed: Closed) -> Row:
    return {
        "of": run,
        "escalation": closed.id,
        "open": 0,
        "closed_at": micros(closed.at),
        "option": shown(closed.option),
        "closed_by": shown(closed.by),
    }


def ledger_row(row: LedgerRow) -> Row:
    return {
        "job": row.occurrence.job,
        "instant": micros(row.occurrence.instant),
        "disposition": row.disposition.value,
        "run": row.run,
        "recorded_at": micros(row.recorded_at),
        "body": write(row),
    }


def message_row(message: Message) -> Row:
    return {
        "run": message.run,
        "kind": message.kind.value,
        "at": micros(message.at),
        "folded": 0,
        "reply": None,
        "body": write(message),
    }


def deed_row(deed: Deed) -> Row:
    texts = {name: shown(getattr(deed, name)) for name in ("by", "origin", "verb", "job", "run", "detail")}
    return {**texts, "at": micros(deed.at), "key": shown(deed.key) or None}


def to_deed(row: SqlRow[Any]) -> Deed:
    texts = (row.by, row.origin, row.verb, row.job, row.run, row.detail)
    return Deed(instant(row.at), *texts, key=row.key or "")


def to_run(head: SqlRow[Any], steps: Iterable[SqlRow[Any]]) -> Run:
    """Raises Unreadable."""
    where = f"run {head.id}"
    run = read(Run, head.body, where)
    rows = {row.step: read(StepRun, row.body, f"{where}, step {row.step}") for row in steps}
    return replace(run, epoch=head.epoch, version=head.version, steps=rows)


def to_event(row: SqlRow[Any]) -> Event:
    kind = codec.EVENTS.get(row.kind)
    where = f"run {row.run}, event {row.seq}"
    if kind is None:
        raise Unreadable(f"{where}: this version knows no event {row.kind!r}")
    return read(kind, row.body, where)


def to_message(row: SqlRow[Any]) -> Message:
    return replace(read(Message, row.body, f"message {row.id}"), id=row.id)


def to_effect(row: SqlRow[Any]) -> EffectRow:
    receipt = read_json(row.receipt, f"effect {row.key}") if row.receipt else {}
    return EffectRow(row.key, EffectState(row.state), row.run, row.step, row.attempt, instant(row.deadline), **receipt)


def write(value: object) -> str:
    """The body of a row. Raises StoreError for what is not JSON."""
    try:
        return codec.encode(value)
    except codec.Unstorable as error:
        raise StoreError(f"cannot be stored: {error}") from error


def write_json(value: Json) -> str:
    try:
        return codec.encode_json(value)
    except codec.Unstorable as error:
        raise StoreError(f"cannot be stored: {error}") from error


def read(kind: type[T], body: str, where: str) -> T:
    """The value in a row's body. Raises Unreadable that names the row."""
    try:
        return codec.decode(kind, body)
    except codec.CodecError as error:
        raise Unreadable(f"{where} cannot be read: {error}") from error


def read_json(body: str, where: str) -> Json:
    try:
        return codec.decode_json(body)
    except codec.CodecError as error:
        raise Unreadable(f"{where} cannot be read: {error}") from error


def shown(text: str) -> str:
    """Text for a plain column: PostgreSQL takes no NUL, and a driver no half character."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
