"""Every job's own decider: a model where the job has one, the rule where it has none."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial

from ...domain.actions import Ask
from ...domain.llm import Endpoint, Llm
from ...domain.model import Decision, Run
from ...domain.plan import Plan
from ...ports import Decider
from ...runtime.deciders import RuleDecider
from .client import Secret
from .decider import ModelDecider
from .desk import Desk
from .line import Line
from .prompts import read_prompts
from .trouble import Trouble


class Office:
    """`daemon.ports.Decider` for all jobs. Jobs that share an endpoint share its line. Raises PromptError."""

    def __init__(self, models: Mapping[str, Llm], desk: Desk, secret: Secret) -> None:
        self._desk = desk
        self._lines: dict[Endpoint, Line] = {}
        self._llms: dict[Endpoint, Llm] = {}
        self._rule: Decider = RuleDecider()
        self._deciders: dict[str, Decider] = {}
        for job, llm in models.items():
            if llm.endpoint not in self._lines:
                self._lines[llm.endpoint] = Line.to(llm, secret, desk.clock.boot, partial(desk.probed, llm))
                self._llms[llm.endpoint] = llm
            self._deciders[job] = ModelDecider(llm, read_prompts(llm.prompts), self._lines[llm.endpoint], desk)
        with suppress(sqlite3.Error):  # old figures do no harm
            desk.spending.forget(desk.clock.now())

    def takes_time(self, job: str) -> bool:
        return job in self._deciders

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
        return self._deciders.get(plan.job, self._rule).decide(plan, ask, run, now)

    def warm_up(self) -> None:
        """Probe every endpoint in the background, so that the first decision need not."""
        for endpoint in self._lines:
            threading.Thread(target=self._probe, args=(endpoint,), name="model-probe", daemon=True).start()

    def examine(self) -> dict[str, str]:
        """What each endpoint understands, or why it does not answer, by model; for a person who looks."""
        return {endpoint.model: self._probe(endpoint) for endpoint in self._lines}

    def _probe(self, endpoint: Endpoint) -> str:
        line, clock = self._lines[endpoint], self._desk.clock
        until = clock.boot() + self._llms[endpoint].timeout.total_seconds()
        try:
            dialect = line.dialect(lambda: until - clock.boot())
        except Trouble as trouble:
            return str(trouble)
        return dialect.mode.value

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._desk.notebook.close()
