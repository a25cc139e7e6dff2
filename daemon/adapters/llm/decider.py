"""The decider that asks a language model: at most two answers are judged, then the rule decides."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ...domain.actions import Ask
from ...domain.answer import Cause, Unusable
from ...domain.answer_schema import answer_schema
from ...domain.guard import by_rule
from ...domain.judge import judge
from ...domain.llm import Llm
from ...domain.model import Decision, Json, Letter, Run
from ...domain.plan import Plan
from ...domain.redaction import Redactor
from ...domain.snapshot import Situation, snapshot
from ...ports import Notice, Severity
from .desk import Desk
from .dialect import Dialect, Message, request
from .hearing import Hearing
from .line import Line
from .prompts import Prompts
from .records import prompt_text, recorded
from .reply import answer_text
from .spending import Exhausted
from .trouble import Trouble

FINAL = frozenset({Cause.REFUSED, Cause.FILTERED})
"""Asking the same again would get the same."""


class NoAnswer(Exception):
    """Nothing that could be used was answered."""


class ModelDecider:
    """`daemon.ports.Decider`. Never raises, and always answers within its deadline."""

    def __init__(self, llm: Llm, prompts: Prompts, line: Line, desk: Desk) -> None:
        self._llm = llm
        self._prompts = prompts
        self._line = line
        self._desk = desk

    def takes_time(self, job: str) -> bool:  # noqa: ARG002  # the port's shape
        return True

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
        situation = Situation(plan, run, ask, now)
        if not self._line.breaker.admits():
            return self._otherwise(situation, f"the model is not asked for now: {self._line.breaker.reason}")
        try:
            return self._decide(situation)
        except Exception as error:  # noqa: BLE001 - whatever a decider does, the run goes on by rule
            self._say("model_defect", f"{type(error).__name__}: {error}", situation)
            return self._otherwise(situation, f"the model could not be asked: {type(error).__name__}")
        finally:
            self._line.breaker.let_go()

    def _decide(self, situation: Situation) -> Decision:
        began = self._desk.clock.boot()
        hearing = Hearing(self._llm, self._desk, self._line, situation, Redactor(self._desk.secrets()), began)
        try:
            return self._heard(hearing)
        except Trouble as trouble:
            because = self._down(trouble)
        except Exhausted as over:
            self._say("model_budget", f"{over}; decisions are made by rule", situation)
            because = f"the model was not asked: {over}"
        except NoAnswer as none:
            because = str(none)
        return recorded(hearing, self._otherwise(hearing.situation, because))

    def _heard(self, hearing: Hearing) -> Decision:
        left = self._desk.spending.left(hearing.account, self._llm.budgets)
        situation = hearing.situation = replace(hearing.situation, left=left)
        hearing.snapshot = snapshot(situation, hearing.redact)
        hearing.version = self._prompts.of(situation).version
        dialect = self._line.dialect(hearing.left)
        messages = self._prompts.question(situation, hearing.snapshot)
        schema = answer_schema(situation.ask.allowed, situation.step, situation.plan.tool(situation.step))
        return self._judged(hearing, dialect, messages, schema)

    def _judged(self, hearing: Hearing, dialect: Dialect, messages: list[Message], schema: Json) -> Decision:
        """The first answer, or the second after a repair question; there is no third."""
        try:
            return self._once(hearing, dialect, messages, schema)
        except Unusable as first:
            if first.cause in FINAL:
                raise NoAnswer(f"the model's answer could not be used: {first}") from first
            problem = first
        raw = hearing.redact(hearing.answer)
        more = self._prompts.once_more(hearing.situation, problem, raw)
        try:
            return self._once(hearing, dialect, [*messages, *more], schema)
        except Unusable as second:
            raise NoAnswer(f"neither answer of the model could be used: {second}") from second

    def _once(self, hearing: Hearing, dialect: Dialect, messages: list[Message], schema: Json) -> Decision:
        """Raises Unusable, noted as rejected; Trouble; Exhausted."""
        hearing.prompt, hearing.answer = prompt_text(messages, schema), ""
        asked = request(dialect, self._llm, messages, schema)
        try:
            hearing.answer = self._answered(hearing, dialect, messages, schema)
            decision = judge(hearing.answer, hearing.situation)
        except Unusable as unusable:
            hearing.reject(unusable, hearing.answer)
            raise
        self._desk.cache.put(self._llm, asked, hearing.answer, hearing.situation.now)
        return recorded(hearing, decision)

    def _answered(self, hearing: Hearing, dialect: Dialect, messages: list[Message], schema: Json) -> str:
        asked = request(dialect, self._llm, messages, schema)
        if known := self._desk.cache.get(self._llm, asked, hearing.situation.now):
            return known
        reply = hearing.ask(dialect, messages, schema)
        hearing.answer = reply.refusal or reply.text or reply.arguments or ""
        return answer_text(reply, dialect.mode)

    def _down(self, trouble: Trouble) -> str:
        if self._line.breaker.failed(trouble):
            self._line.forget()
            self._desk.notice(Notice("model_unavailable", f"decisions are made by rule for now: {trouble}"))
        return f"the model did not answer: {trouble}"

    def _otherwise(self, situation: Situation, because: str) -> Decision:
        """The rule's choice; or, if the job says so and the rule has no clear one, a person's."""
        ask = situation.ask
        decision = by_rule(situation.step, ask, because=because)
        if self._llm.ask_person and situation.reflects and Letter.C in ask.allowed:
            return replace(decision, letter=Letter.C, reason=f"left to a person: {decision.reason}")
        return decision

    def _say(self, topic: str, message: str, situation: Situation) -> None:
        run = situation.run
        self._desk.notice(Notice(topic, message, Severity.WARNING, job=run.job, run=run.id))
