"""Who plays in the simulated runs of a job: its tools by their habits, its model or the rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..adapters.llm.office import Office
    from ..domain.job import Job
    from ..testing.rehearsal import Troupe

HISTORY = 50
"""Earlier runs from which the habits of a job's steps are learnt."""
_ONCE = timedelta(days=3650)
"""No question is asked twice in one simulation."""


@contextmanager
def cast(session: Session, job: Job, failing: float | None, *, ask_model: bool) -> Iterator[Troupe]:
    """`failing` takes the place of the known share of failing attempts. Raises Misuse."""
    from ..testing.habits import habits, unsettled
    from ..testing.rehearsal import Troupe
    from ..testing.tokens import Remembered, tokens_a_decision

    with closing(session.observer()) as daemon:
        rows = daemon.queries.runs(job.id, limit=HISTORY)
        histories = [daemon.queries.events(row.id) for row in rows]
    troupe = Troupe(unsettled(habits(job.plan, histories), failing), tokens=tokens_a_decision(histories))
    if not ask_model:
        yield troupe
        return
    with closing(_office(session, job)) as office:
        yield replace(troupe, decider=Remembered(office), tokens=0.0)


def _office(session: Session, job: Job) -> Office:
    """The job's own model, its answers cached; what it spends here counts against none of its budgets but here."""
    from ..adapters.clock import SystemClock
    from ..adapters.llm.desk import Desk
    from ..adapters.llm.notebook import Notebook
    from ..adapters.llm.office import Office
    from ..testing.memory_artifacts import MemoryArtifacts

    if job.model is None:
        raise Misuse(f"the job {job.id!r} has no model", "leave --ask-model out, or configure one under 'model'")
    secrets = session.settings().secrets
    desk = Desk(SystemClock(), MemoryArtifacts(), Notebook(), lambda _: None, secrets.values)
    return Office({job.id: replace(job.model, cache=_ONCE)}, desk, secrets)
