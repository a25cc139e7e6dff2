"""Who decides for which job: models as they are configured now, and the rule for everybody else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ...domain.actions import Ask
from ...domain.llm import Llm
from ...domain.model import Decision, Run
from ...domain.plan import Plan
from ...ports import Decider
from ...runtime.deciders import RuleDecider

if TYPE_CHECKING:
    from .office import Office

Models = Mapping[str, Llm]
"""By job."""


class Staff:
    """`daemon.ports.Decider`. Nothing heavy is imported before a job has a model. Raises PromptError."""

    def __init__(self, models: Models, open_office: Callable[[Models], Office]) -> None:
        self._open = open_office
        self._offices: list[Office] = []
        self._models: Models = {}
        self._decider: Decider = RuleDecider()
        self.renew(models)

    def renew(self, models: Models) -> None:
        """From now on these decide; whoever is deciding goes on. Raises PromptError, and then nothing changes."""
        if models == self._models:
            return
        decider: Decider = RuleDecider()
        if models:
            self._offices.append(office := self._open(models))
            decider = office
        self._models, self._decider = models, decider

    @property
    def office(self) -> Office | None:
        """Of the models as they are now; None where no job has one."""
        return self._offices[-1] if self._models else None

    def takes_time(self, job: str) -> bool:
        return self._decider.takes_time(job)

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:
        return self._decider.decide(plan, ask, run, now)

    def warm_up(self) -> None:
        """Probe what was opened last, in the background, so that the first decision need not."""
        for office in self._offices[-1:]:
            office.warm_up()

    def close(self) -> None:
        for office in self._offices:
            office.close()
