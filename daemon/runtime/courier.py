"""Alerts go to Slack by the same tool as every report: one ladder, one escaping, one pacing."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime, timedelta

from ..domain.digests import place
from ..domain.errors import ClockwrightError, Kind
from ..domain.model import Failed, Json, Purpose, Reconciled, Succeeded, Verdict
from ..domain.tool import ToolSpec
from ..ports import Call, EffectRow, EffectState, Ended, Letter, LetterReceipt
from .outside import Outside

TOOL = "slack_send_message"
ALERTS = "alerts"
"""Stands for the run of an intent that is no run's."""
ASK_SECONDS = 30.0
GRACE = 5.0
"""Seconds that the sandbox may take to end a call that is over its time."""


class ToolCourier:
    """`daemon.ports.Courier` over the ToolRunner."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    def post(self, letter: Letter, key: str, until: datetime) -> LetterReceipt | Failed:
        if self._meant_before(key) and (settled := self._settled(self.ask(letter, key))):
            return settled
        self._write_down(key, until)
        outcome = self._call(letter, key, Purpose.RUN, until)
        if isinstance(outcome, Reconciled):
            return Failed(Kind.UNKNOWN_OUTCOME, "the tool gave an answer of the wrong kind")
        return outcome

    def ask(self, letter: Letter, key: str) -> LetterReceipt | Reconciled | Failed:
        until = self._outside.clock.now() + timedelta(seconds=ASK_SECONDS)
        return self._call(letter, key, Purpose.RECONCILE, until)

    def _meant_before(self, key: str) -> bool:
        """By a store that knew of it, before this one was put back."""
        row = self._outside.store.effect(key)
        return row is not None and row.run != ALERTS

    @staticmethod
    def _settled(answer: LetterReceipt | Reconciled | Failed) -> LetterReceipt | Failed | None:
        """What becomes of the message; None where it is certainly not there, and may be sent."""
        if isinstance(answer, Reconciled):
            if answer.verdict is Verdict.NOT_FOUND:
                return None
            answer = Failed(Kind.UNKNOWN_OUTCOME, answer.reason or "Slack cannot tell whether it has this")
        return answer if isinstance(answer, LetterReceipt) else replace(answer, kind=Kind.UNKNOWN_OUTCOME)

    def _write_down(self, key: str, until: datetime) -> None:
        """As the intent of a step is: in the store, and where the store cannot forget it."""
        intent = EffectRow(key, EffectState.INTENT, ALERTS, TOOL, 1, until)
        self._outside.store.remember([intent], fence=self._outside.fence.epoch)
        if self._outside.journal is not None:
            self._outside.journal.note(intent)

    def _call(self, letter: Letter, key: str, purpose: Purpose, until: datetime) -> LetterReceipt | Reconciled | Failed:
        tool = self._outside.tools.get(TOOL)
        if tool is None:
            return Failed(Kind.MISCONFIGURED, f"there is no tool {TOOL}")
        try:
            call = self._made(tool, letter, key, purpose, until)
        except ClockwrightError as error:
            return Failed(Kind.MISCONFIGURED, str(error))
        if purpose is Purpose.RUN:  # an alert does not wait for reports; they wait for it
            outside = self._outside
            outside.pacer.took(place(tool, call.input), tool.pace.total_seconds(), outside.clock.boot())
        try:
            return _said(self._run(call))
        finally:
            self._outside.artifacts.discard(call.workdir)

    def _made(self, tool: ToolSpec, letter: Letter, key: str, purpose: Purpose, until: datetime) -> Call:
        outside = self._outside
        name = f"alert.{key}.{purpose}"
        seconds = (until - outside.clock.now()).total_seconds()
        return Call(
            id=name,
            tool=TOOL,
            purpose=purpose,
            input=_input(letter),
            workdir=outside.artifacts.workdir(name),
            deadline=until,
            seconds=seconds,
            effect_key=key,
            secrets=dict(self._secrets(tool)),
            outbox=outside.outbox,
            expires=outside.clock.boot() + seconds,
        )

    def _secrets(self, tool: ToolSpec) -> Iterator[tuple[str, str]]:
        """Raises ClockwrightError for one that the tool needs."""
        for name in tool.secrets:
            try:
                yield name, self._outside.secret(name)
            except ClockwrightError:
                if name not in tool.optional_secrets:
                    raise

    def _run(self, call: Call) -> Ended:
        ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        running = self._outside.runner.start(call, ended.put)
        try:
            return ended.get(timeout=call.seconds + GRACE)
        except queue.Empty:
            running.kill()
            return Ended(Failed(Kind.TIMEOUT, f"no answer within {call.seconds:.0f} s"))


def _input(letter: Letter) -> Json:
    """Only what is set, so that the tool's own defaults hold."""
    made = {"channel": letter.channel, "text": letter.headline, "markdown": letter.markdown}
    more: dict[str, Json] = {
        "mentions": list(letter.mentions),
        "thread": letter.thread,
        "buttons": [asdict(button) for button in letter.buttons],
    }
    return {**made, **{name: value for name, value in more.items() if value}}


def _said(ended: Ended) -> LetterReceipt | Reconciled | Failed:
    outcome = ended.outcome
    if isinstance(outcome, Succeeded):
        return _posted(outcome.output)
    if isinstance(outcome, Reconciled) and outcome.verdict is Verdict.FOUND:
        return _posted(outcome.output)
    return outcome


def _posted(output: Json) -> LetterReceipt:
    return LetterReceipt(output["channel"], output.get("stamp") or "", output.get("location") or "")
