"""A small job in the middle of its run, and a desk for its decider."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from daemon.adapters.artifacts import LocalArtifacts
from daemon.adapters.llm.client import Client
from daemon.adapters.llm.decider import ModelDecider
from daemon.adapters.llm.desk import Desk
from daemon.adapters.llm.line import Line
from daemon.adapters.llm.notebook import Notebook
from daemon.adapters.llm.prompts import read_prompts
from daemon.domain.actions import Ask
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, AttemptStarted, Event, RunStarted
from daemon.domain.fold import fold
from daemon.domain.llm import Endpoint, Llm
from daemon.domain.model import Attempt, DataDate, Decision, Failed, Letter, Outcome, Purpose, Run, Succeeded
from daemon.domain.plan import Decide, Plan, Step
from daemon.domain.policy import next_action
from daemon.domain.redaction import Redactor
from daemon.domain.snapshot import Situation
from daemon.domain.tool import Effect, ToolSpec
from daemon.ports import Notice

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
DAY = DataDate(
    day=date(2026, 3, 10),
    start=NOW - timedelta(hours=34),
    end=NOW - timedelta(hours=10),
    local_date=date(2026, 3, 11),
    due_local="2026-03-11T10:00:00+01:00",
    timezone="Europe/Berlin",
    fold=0,
    zone_data="2026a",
)


def tool(name: str, **inputs: Any) -> ToolSpec:
    """A tool whose input has these fields, none required."""
    return ToolSpec(
        name=name,
        description=f"Does {name}.",
        effect=Effect.NONE,
        timeout=timedelta(seconds=30),
        version="1",
        secrets=(),
        destination=(),
        reconcile=False,
        input_schema={"type": "object", "properties": inputs, "additionalProperties": False},
        output_schema={"type": "object"},
        digest=name,
        path=f"/tools/{name}.py",
    )


QUERY = tool(
    "query_sales",
    day={"type": "string", "format": "date"},
    limit={"type": "integer", "minimum": 1, "maximum": 1000},
    note={"anyOf": [{"type": "string"}, {"type": "null"}]},
)
NOTE = tool("write_note", text={"type": "string"})


def plan_of(*steps: Step, decide: Decide = Decide.ALWAYS, tools: Iterable[ToolSpec] = (QUERY, NOTE)) -> Plan:
    known = {spec.name: spec for spec in tools}
    return Plan("daily", "Report yesterday's sales by 10:05.", steps, known, decide=decide, digest="p")


def chain(count: int, **changes: Any) -> Plan:
    """`count` steps in a row, each with the inputs `limit` and `day` open."""
    first = Step("s0", "query_sales", open=("day", "limit"), **changes)
    rest = [Step(f"s{n}", "query_sales", needs=(f"s{n - 1}",), open=("day", "limit")) for n in range(1, count)]
    return plan_of(first, *rest)


def born(plan: Plan) -> Run:
    run = Run("daily-1", plan.job, NOW, 0, DAY, plan.digest, NOW)
    return fold(plan, run, RunStarted(NOW))


def attempted(plan: Plan, run: Run, step: str, outcome: Outcome) -> Run:
    """The run after one more attempt at `step`."""
    number = run.steps[step].started + 1
    attempt = Attempt(number, Purpose.RUN, NOW, NOW + timedelta(seconds=30), f"input-{number}")
    events: list[Event] = [AttemptStarted(NOW, step, attempt), AttemptEnded(NOW, step, number, outcome)]
    for event in events:
        run = fold(plan, run, event)
    return run


def at_step(number: int, plan: Plan, summary: str = "1,204 orders") -> Run:
    """The run with every step before `number` done."""
    run = born(plan)
    for n in range(number):
        run = attempted(plan, run, f"s{n}", Succeeded({"rows": 1}, summary))
    return run


def asked(plan: Plan, run: Run) -> Situation:
    """The situation that the policy asks about now."""
    action = next_action(plan, run, NOW)
    assert isinstance(action, Ask), action
    return Situation(plan, run, action, NOW)


def before_first() -> Situation:
    """Only A is allowed."""
    plan = chain(2)
    return asked(plan, born(plan))


def failed(kind: Kind = Kind.TRANSIENT, message: str = "the database is locked", plan: Plan | None = None) -> Situation:
    """The first step has failed once."""
    plan = plan or chain(2)
    return asked(plan, attempted(plan, born(plan), "s0", Failed(kind, message)))


def any_letter() -> Situation:
    """All three are allowed: where it is the answer that is to be looked at."""
    situation = failed()
    ask = Ask("s0", tuple(Letter), Letter.B, "for the test")
    return Situation(situation.plan, situation.run, ask, NOW)


class Ticking:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return NOW

    def boot(self) -> float:
        return self.seconds


@dataclass
class Office:
    """One decider with everything around it; `notices` is what was said."""

    folder: Path
    llm: Llm
    client: Client
    secrets: tuple[str, ...] = ()
    clock: Any = field(default_factory=Ticking)
    notices: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.artifacts = LocalArtifacts(self.folder / "artifacts", self.folder / "work")
        self.notebook = Notebook()
        self.desk = Desk(self.clock, self.artifacts, self.notebook, self.notices.append, lambda: self.secrets)
        self.line = Line(self.llm, lambda: self.client, self.clock.boot, partial(self.desk.probed, self.llm))
        self.decider = ModelDecider(self.llm, read_prompts(self.llm.prompts), self.line, self.desk)

    def decide(self, situation: Situation) -> Decision:
        return self.decider.decide(situation.plan, situation.ask, situation.run, situation.now)

    def close(self) -> None:
        self.line.close()
        self.notebook.close()


MODEL = Llm(Endpoint("scripted", base_url="http://127.0.0.1:9/v1"), timeout=timedelta(seconds=5))
PLAIN = Redactor()
