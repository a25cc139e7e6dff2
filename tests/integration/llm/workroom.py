"""The daily report in small, carried by the real driver over a real store, with scripted tools and any decider."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.adapters.artifacts import LocalArtifacts
from daemon.adapters.llm.desk import Desk
from daemon.adapters.llm.notebook import Notebook
from daemon.adapters.llm.office import Office
from daemon.adapters.sql import open_queries, open_store
from daemon.domain.actions import Wait
from daemon.domain.defaults import Retry
from daemon.domain.events import Decided, Event
from daemon.domain.llm import Llm
from daemon.domain.model import DataDate, Decision, Failed, Outcome, Reconciled, Run, Succeeded, Verdict
from daemon.domain.plan import Decide, Plan, Step
from daemon.domain.tool import Effect, ToolSpec
from daemon.ports import Call, Change, Ended, Notice, Running
from daemon.runtime.driver import Arrival, Driver
from daemon.runtime.observers import Observers
from daemon.runtime.outside import Outside

START = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
DAY = DataDate(
    day=date(2026, 3, 10),
    start=START - timedelta(hours=34),
    end=START - timedelta(hours=10),
    local_date=date(2026, 3, 11),
    due_local="2026-03-11T10:00:00+01:00",
    timezone="Europe/Berlin",
    fold=0,
    zone_data="2026a",
)
Tool = Callable[[int, Mapping[str, Any]], Outcome]
"""From the number of the call and its input to what it comes to."""


def spec(name: str, effect: Effect = Effect.NONE, **inputs: Any) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=f"{name.replace('_', ' ').capitalize()} of the day.",
        effect=effect,
        timeout=timedelta(seconds=30),
        version="1",
        secrets=(),
        destination=("channel",) if effect is Effect.EXTERNAL else (),
        reconcile=effect is Effect.EXTERNAL,
        input_schema={"type": "object", "properties": inputs, "additionalProperties": False},
        output_schema={"type": "object"},
        digest=name,
        path=f"/tools/{name}.py",
    )


TOOLS = (
    spec("query_sales", limit={"type": "integer", "minimum": 1}),
    spec("compute_kpis"),
    spec("draw_chart"),
    spec("write_report"),
    spec("post_slack", Effect.EXTERNAL, channel={"type": "string"}),
)


def daily(decide: Decide = Decide.ALWAYS, **query: Any) -> Plan:
    """Five steps, from the query to the post; `query` changes the first."""
    quick = Retry(attempts=3, first=timedelta(milliseconds=1))
    steps = (
        Step("query", "query_sales", open=("limit",), retry=quick, **query),
        Step("kpis", "compute_kpis", needs=("query",), retry=quick),
        Step("chart", "draw_chart", needs=("kpis",), retry=quick),
        Step("report", "write_report", needs=("kpis",), needs_weak=("chart",), retry=quick),
        Step("post", "post_slack", needs=("report",), inputs={"channel": "#sales"}, retry=quick),
    )
    goal = "Report yesterday's sales to #sales by 10:05."
    return Plan("daily", goal, steps, {tool.name: tool for tool in TOOLS}, decide=decide, digest="p")


def fine(_: int, __: Mapping[str, Any]) -> Outcome:
    return Succeeded({"ok": True}, "1,204 orders, 52,310.20 EUR")


@dataclass
class Clock:
    """Durations are real; the wall time jumps over waits."""

    ahead: timedelta = timedelta()
    began: float = field(default_factory=time.monotonic)
    slept: float = 0.0
    """Seconds in which nobody did anything."""

    def now(self) -> datetime:
        return START + self.ahead + timedelta(seconds=self.boot() - self.began)

    def boot(self) -> float:
        return time.monotonic() + self.slept


class Flown:
    """A call that has come out already."""

    def kill(self) -> None:
        """Too late."""


@dataclass
class Runner:
    """Every tool does what its script says; `calls` counts, `sent` is what was posted."""

    tools: Mapping[str, Tool]
    calls: Counter[str] = field(default_factory=Counter)
    inputs: list[tuple[str, Any]] = field(default_factory=list)

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        self.calls[call.tool] += 1
        self.inputs.append((call.tool, call.input))
        on_end(Ended(self._outcome(call)))
        return Flown()

    def _outcome(self, call: Call) -> Outcome | Reconciled:
        if call.purpose == "reconcile":
            return Reconciled(Verdict.NOT_FOUND)
        return self.tools.get(call.tool, fine)(self.calls[call.tool], call.input)

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Heard:
    """What was committed and said."""

    events: list[Event] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def emit(self, _: Run, event: Event) -> None:
        self.events.append(event)

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    @property
    def decisions(self) -> list[Decision]:
        return [event.decision for event in self.events if isinstance(event, Decided)]


class Counting:
    """A store that counts its flushes."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.flushes = 0

    def create(self, *args: Any, **more: Any) -> Any:
        self.flushes += 1
        return self._store.create(*args, **more)

    def commit(self, change: Change) -> None:
        self.flushes += 1
        self._store.commit(change)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Workroom:
    """One run from its birth to its end, or to a question to a person."""

    def __init__(self, folder: Path, llm: Llm | None = None, *, secrets: Mapping[str, str] | None = None) -> None:
        known = dict(secrets or {})
        self.folder = folder
        self.clock = Clock()
        self.heard = Heard()
        self.store = Counting(open_store(folder / "clockwright.db"))
        self.queries = open_queries(folder / "clockwright.db")
        self.artifacts = LocalArtifacts(folder / "artifacts", folder / "work")
        self.notebook = Notebook(folder / "models.db")
        desk = Desk(self.clock, self.artifacts, self.notebook, self.heard.notice, known.values)
        self.office = Office({"daily": llm} if llm else {}, desk, known.__getitem__)
        self.runner = Runner({})
        self._number = 0

    def run(self, plan: Plan, **tools: Tool) -> Run:
        """Carry a new run as far as it goes by itself."""
        self._number += 1
        self.runner = Runner(tools)
        outside = Outside(
            owner="test",
            clock=self.clock,
            store=self.store,
            runner=self.runner,
            decider=self.office,
            artifacts=self.artifacts,
            sink=Observers([self.heard]),
            secret=lambda name: name,
        )
        data = replace(DAY, day=DAY.day + timedelta(days=self._number))
        instant = START + timedelta(days=self._number)
        run = Run(f"daily-{self._number}", "daily", instant, 0, data, plan.digest, self.clock.now())
        arrivals: list[Arrival] = []
        driver = Driver(outside, plan, run, arrivals.append)
        return self._carry(driver, arrivals)

    def _carry(self, driver: Driver, arrivals: list[Arrival]) -> Run:
        while True:
            taken, arrivals[:] = list(arrivals), []
            wait: Wait = driver.advance(taken)
            if driver.run.state.ended or (not arrivals and driver.run.escalations):
                return driver.run
            if not arrivals and wait.until:
                self.clock.ahead += max(timedelta(), wait.until - self.clock.now())

    def close(self) -> None:
        self.office.close()
        self.store.close()


def failing(times: int, failure: Failed) -> Tool:
    """Fails so often, then works."""
    return lambda number, given: failure if number <= times else fine(number, given)
