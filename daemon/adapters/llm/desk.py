"""What every decider of this daemon shares."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from ...domain.llm import Llm
from ...ports import Artifacts, Clock, Notice
from .cache import Cache
from .notebook import Notebook
from .reply import Reply
from .spending import Account, Spending, amount


@dataclass(frozen=True)
class Desk:
    """`secrets` gives the values that no text may hold, as they are now; `notice` tells whoever watches."""

    clock: Clock
    artifacts: Artifacts
    notebook: Notebook
    notice: Callable[[Notice], None]
    secrets: Callable[[], Iterable[str]]

    @property
    def spending(self) -> Spending:
        return Spending(self.notebook)

    def probed(self, llm: Llm, reply: Reply) -> None:
        """What finding out about an endpoint cost: it is nobody's run, and counts for the day."""
        account = Account.at("", "", "probe", self.clock.now())
        with suppress(sqlite3.Error):  # a decision that cannot be paid for is not asked, a probe has been
            self.spending.add(account, amount(llm, reply.tokens_in or 0, reply.tokens_out or 0))

    @property
    def cache(self) -> Cache:
        return Cache(self.notebook)
