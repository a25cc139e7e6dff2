"""Tokens and money: reserved before a question is asked, settled after it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_UP, Decimal
from typing import Final

from ...domain.llm import Budget, Llm, Scope
from .notebook import Notebook

KEPT: Final = timedelta(days=40)
_MICROS: Final = 1_000_000


class Exhausted(Exception):
    """A budget does not allow another question; the message says which."""

    def __init__(self, scope: Scope, message: str) -> None:
        super().__init__(message)
        self.scope = scope


@dataclass(frozen=True, slots=True)
class Account:
    """Whose money it is: one decision of one run of one job on one UTC day."""

    job: str
    run: str
    decision: str
    day: str

    @classmethod
    def at(cls, job: str, run: str, decision: str, now: datetime) -> Account:
        return cls(job, run, decision, now.astimezone(UTC).date().isoformat())


@dataclass(frozen=True, slots=True)
class Amount:
    tokens: int = 0
    micros: int = 0
    """Millionths of the currency's unit, rounded up."""

    @property
    def money(self) -> Decimal:
        return Decimal(self.micros) / _MICROS


def amount(llm: Llm, tokens_in: int, tokens_out: int) -> Amount:
    """No money where no prices are configured: a price is never guessed."""
    money = llm.prices.of(tokens_in, tokens_out) if llm.prices else Decimal(0)
    return Amount(tokens_in + tokens_out, int((money * _MICROS).to_integral_value(ROUND_UP)))


class Spending:
    """The ledger of all models of this daemon."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def reserve(self, account: Account, budgets: Mapping[Scope, Budget], wanted: Amount) -> int:
        """The number of a reservation, which counts as spent until it is settled. Raises Exhausted."""
        with self._notebook.writing() as rows:
            for scope, budget in budgets.items():
                if over := _over(budget, _spent(rows, account, scope), wanted):
                    raise Exhausted(scope, f"the {scope} budget of {over} is used up")
            return _add(rows, account, wanted)

    def add(self, account: Account, spent: Amount) -> None:
        """What was spent without asking anybody."""
        with self._notebook.writing() as rows:
            _add(rows, account, spent)

    def settle(self, reservation: int, spent: Amount) -> None:
        """What it really came to, in place of what was reserved."""
        with self._notebook.writing() as rows:
            rows.execute(
                "UPDATE spent SET tokens = ?, micros = ? WHERE id = ?", (spent.tokens, spent.micros, reservation)
            )

    def left(self, account: Account, budgets: Mapping[Scope, Budget]) -> dict[str, int]:
        """Tokens that may still be spent, by budget."""
        with self._notebook.writing() as rows:
            return dict(_left(rows, account, budgets))

    def spent(self, account: Account, scope: Scope) -> Amount:
        with self._notebook.writing() as rows:
            return _spent(rows, account, scope)

    def forget(self, now: datetime) -> None:
        """Drop what is too old to count for any budget."""
        with self._notebook.writing() as rows:
            rows.execute("DELETE FROM spent WHERE day < ?", ((now.astimezone(UTC) - KEPT).date().isoformat(),))


_OF: Final[Mapping[Scope, str]] = {
    Scope.DECISION: "run = :run AND decision = :decision",
    Scope.RUN: "run = :run",
    Scope.JOB: "day = :day AND job = :job",
    Scope.DAY: "day = :day",
}


def _add(rows: sqlite3.Connection, account: Account, amount: Amount) -> int:
    cursor = rows.execute(
        "INSERT INTO spent (day, job, run, decision, tokens, micros) VALUES (?, ?, ?, ?, ?, ?)",
        (account.day, account.job, account.run, account.decision, amount.tokens, amount.micros),
    )
    return int(cursor.lastrowid or 0)


def _spent(rows: sqlite3.Connection, account: Account, scope: Scope) -> Amount:
    names = {"run": account.run, "decision": account.decision, "day": account.day, "job": account.job}
    query = f"SELECT COALESCE(SUM(tokens), 0), COALESCE(SUM(micros), 0) FROM spent WHERE {_OF[scope]}"  # noqa: S608 - ours
    return Amount(*rows.execute(query, names).fetchone())


def _over(budget: Budget, spent: Amount, wanted: Amount) -> str:
    if budget.tokens is not None and spent.tokens + wanted.tokens > budget.tokens:
        return f"{budget.tokens} tokens"
    if budget.money is not None and spent.money + wanted.money > budget.money:
        return f"{budget.money} in money"
    return ""


def _left(rows: sqlite3.Connection, account: Account, budgets: Mapping[Scope, Budget]) -> Iterator[tuple[str, int]]:
    for scope, budget in budgets.items():
        if budget.tokens is not None and scope is not Scope.DECISION:
            yield f"{scope.value}_tokens", max(0, budget.tokens - _spent(rows, account, scope).tokens)
