"""Short ways to tools, plans and jobs for a test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from daemon.domain.birth import new_run
from daemon.domain.calendar import occurrence
from daemon.domain.defaults import Limits
from daemon.domain.job import Job
from daemon.domain.model import Json, Run
from daemon.domain.plan import Decide, Plan, Step
from daemon.domain.schedule import Schedule
from daemon.domain.tool import Effect, ToolSpec

ANYTHING: Json = {"type": "object"}
LIMITS = Limits()
ZONE_DATA = "test"


def make_tool(
    name: str,
    effect: Effect = Effect.NONE,
    *,
    timeout: float = 60.0,
    inputs: Json = ANYTHING,
    output: Json = ANYTHING,
    destination: tuple[str, ...] = (),
) -> ToolSpec:
    """A tool's contract; an external one can be reconciled. `timeout` in seconds."""
    return ToolSpec(
        name=name,
        description=f"{name} for a test",
        effect=effect,
        timeout=timedelta(seconds=timeout),
        version="1",
        secrets=(),
        destination=destination,
        reconcile=effect is Effect.EXTERNAL,
        input_schema=inputs,
        output_schema=output,
        digest=f"digest of {name}",
        path=f"/tools/{name}.py",
    )


LOOK = make_tool("look")
KEEP = make_tool("keep", Effect.IDEMPOTENT)
SEND = make_tool("send", Effect.EXTERNAL, destination=("to",))
MEND = make_tool("mend")
TOOLS = {tool.name: tool for tool in (LOOK, KEEP, SEND, MEND)}


def make_plan(
    steps: Sequence[Step],
    *,
    job: str = "report",
    decide: Decide = Decide.ON_EXCEPTION,
    limits: Limits = LIMITS,
    shares_dates: bool = False,
) -> Plan:
    """A plan over the four tools here: `look`, `keep` (idempotent), `send` (external), `mend` (for repairs)."""
    told = repr((job, steps, decide, limits, shares_dates))
    digest = hashlib.sha256(told.encode()).hexdigest()
    return Plan(job, "a test", tuple(steps), TOOLS, decide, limits, shares_dates=shares_dates, digest=digest)


def make_job(plan: Plan, cron: str | None = "0 * * * *", timezone: str = "UTC") -> Job:
    return Job(plan.job, plan, Schedule(cron, timezone) if cron else None, timezone)


def make_run(plan: Plan, now: datetime, revision: int = 1) -> Run:
    """A queued run, due now."""
    job = make_job(plan, None)
    return new_run(job, occurrence(job, now, ZONE_DATA), now, cause="test", revision=revision)
