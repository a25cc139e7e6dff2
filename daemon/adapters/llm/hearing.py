"""One decision while it is being made: its time, its money, and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ...domain.answer import Unusable
from ...domain.llm import Llm
from ...domain.model import Json
from ...domain.quota import cut, plain, wire
from ...domain.redaction import Redactor
from ...domain.snapshot import Situation
from .desk import Desk
from .dialect import Dialect, Message, request
from .line import Line
from .reply import Reply
from .spending import Account, Amount, amount
from .trouble import BILLED, Trouble

SHOWN: Final = 160
"""Bytes of a rejected answer that the record shows; the whole is an artifact."""


@dataclass
class Hearing:
    """Made for one decision and thrown away after it."""

    llm: Llm
    desk: Desk
    line: Line
    situation: Situation
    redact: Redactor
    began: float
    """Boot seconds."""
    rejected: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0
    estimated: bool = False
    snapshot: str = ""
    prompt: str = ""
    answer: str = ""
    version: str = ""

    @property
    def account(self) -> Account:
        run, step = self.situation.run, self.situation.ask.step
        return Account.at(run.job, run.id, f"{step}.{run.sequence}", self.situation.now)

    @property
    def seconds(self) -> float:
        return max(0.0, self.desk.clock.boot() - self.began)

    def left(self) -> float:
        """Seconds until the decision's deadline."""
        return self.llm.timeout.total_seconds() - self.seconds

    def ask(self, dialect: Dialect, messages: Sequence[Message], schema: Json) -> Reply:
        """One question: reserved, asked, settled. Raises Exhausted, Trouble."""
        body = request(dialect, self.llm, messages, schema)
        asked = len(wire(body).encode())
        reservation = self.desk.spending.reserve(self.account, self.llm.budgets, self._most(asked))
        unknown: list[Trouble] = []
        reply: Reply | None = None
        try:
            reply = self.line.post(body, self.left, unknown.append)
        finally:
            lost = sum(1 for trouble in unknown if trouble.fault in BILLED)
            self._settle(reservation, reply, asked, lost)
        self.line.breaker.answered()
        return reply

    def reject(self, unusable: Unusable, raw: str) -> None:
        shown = cut(plain(self.redact(raw)), SHOWN)
        self.rejected.append(f"{cut(plain(self.redact(str(unusable))), 2 * SHOWN)} | {shown}")

    def _most(self, asked: int) -> Amount:
        """Two bytes a token is dense; the answer is bounded by the request itself."""
        return amount(self.llm, asked // 2, self.llm.max_tokens)

    def _settle(self, reservation: int, reply: Reply | None, asked: int, lost: int) -> None:
        """A request whose answer was lost may be billed: what was reserved for it stays spent."""
        if reply:
            tokens_in = self._counted(reply.tokens_in, asked)
            tokens_out = self._counted(reply.tokens_out, len(reply.text) + len(reply.arguments or ""))
            self.tokens_in, self.tokens_out = self.tokens_in + tokens_in, self.tokens_out + tokens_out
            spent = amount(self.llm, tokens_in, tokens_out)
        else:
            spent = Amount()
        each = self._most(asked)
        spent = Amount(spent.tokens + lost * each.tokens, spent.micros + lost * each.micros)
        self.micros += spent.micros
        self.desk.spending.settle(reservation, spent)

    def _counted(self, tokens: int | None, size: int) -> int:
        if tokens is None:
            self.estimated = True
            return -(-size // 3)
        return tokens
