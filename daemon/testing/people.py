"""The people of a simulated history: they answer, or do not, or answer wrongly, and now and then they cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daemon.domain.actions import DELIVERED, RETRY
from daemon.domain.model import Escalation, Json, Run
from daemon.ports import Message, MessageKind, Store

from .fake_clock import FakeClock
from .faults import Dice, Faults
from .witness import Witness


class People:
    """They see every question as soon as it is stored. `ring` makes the daemon look into its inbox."""

    def __init__(
        self, dice: Dice, faults: Faults, clock: FakeClock, store: Store, witness: Witness, ring: Callable[[], None]
    ) -> None:
        self._dice = dice
        self._faults = faults
        self._clock = clock
        self._store = store
        self._witness = witness
        self._ring = ring

    def ask(self, run: Run, question: Escalation) -> None:
        """A question is open."""
        dice, wait = self._dice, (question.expires_at - question.asked_at).total_seconds()
        if dice.happens(0.3):
            return  # nobody is there, and the default holds
        delay = dice.between(1.0, wait * 0.9)
        body = {"escalation": question.id, "option": dice.pick(question.options), "digest": question.digest}
        if dice.happens(self._faults.people):
            self._err(run, body, wait)
        self._answer(run, body, delay)
        if dice.happens(self._faults.people):
            self._answer(run, {**body, "option": dice.pick(question.options)}, delay + dice.between(0.0, 3.0))

    def cancel(self, run: Run) -> None:
        self._post(run, MessageKind.CANCEL, {})

    def _answer(self, run: Run, body: Mapping[str, Json], delay: float) -> None:
        self._clock.after(delay, lambda: self._post(run, MessageKind.ANSWER, body))

    def _err(self, run: Run, body: Mapping[str, Json], wait: float) -> None:
        """An answer that may not count: of no option, of something else, too late, or of nothing at all."""
        dice = self._dice
        wrong: dict[str, Json] = dice.pick(
            (
                {"option": DELIVERED},
                {"option": "whatever"},
                {"digest": "of an older question"},
                {"escalation": "no such question"},
                {"changes": {"to": "#elsewhere"}},
            )
        )
        self._answer(run, {**body, **wrong}, dice.between(0.5, 30.0))
        self._answer(run, {}, dice.between(0.5, 30.0))
        self._answer(run, body, wait + dice.between(1.0, 100.0))

    def _post(self, run: Run, kind: MessageKind, body: Mapping[str, Json]) -> None:
        self._store.post(Message(run.id, kind, "ada", self._clock.now(), body))
        self._witness.say("ada", run.id, f"{kind} {body.get('option', '')}")
        question = self._witness.runs[run.id].escalations.get(body.get("escalation", ""))
        if question is not None and question.step and body.get("option") == RETRY:
            self._witness.granted[run.id, question.step] += 1
        self._clock.after(self._dice.between(0.0, 5.0), self._ring)
