"""A company's jobs with a history, in any store, and the page over it: for tests, pictures and measurements."""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from daemon.adapters.outbox_folder import OutboxFolder
from daemon.domain.birth import new_run
from daemon.domain.calendar import occurrence
from daemon.domain.codec import to_plain
from daemon.domain.deed import Actor
from daemon.domain.draft import Toolbox
from daemon.domain.errors import Kind
from daemon.domain.events import Answered, AttemptEnded, AttemptStarted, Decided, Escalated, Event, RunEnded, RunStarted
from daemon.domain.job import Disposition, Job, LedgerRow
from daemon.domain.model import (
    Attempt,
    Decision,
    Escalation,
    Failed,
    Letter,
    Purpose,
    Run,
    RunState,
    StepRun,
    StepState,
    Succeeded,
)
from daemon.domain.pause import Pause
from daemon.domain.plan import Plan, Step
from daemon.domain.redaction import Redactor
from daemon.domain.schedule import Schedule, newest_due
from daemon.domain.timing import Timing
from daemon.domain.tool import BrokenTool, Effect, ToolSpec
from daemon.ports import Birth, Change, Queries, Store
from daemon.runtime.commands import StoreCommands
from daemon.runtime.plans import Plans
from daemon.testing.fake_clock import FakeClock
from daemon.testing.memory_artifacts import MemoryArtifacts
from daemon.testing.memory_store import MemoryStore
from daemon.testing.tools import make_tool
from daemon.web.live import Live
from daemon.web.passes import Passes, Tokens
from daemon.web.site import Site

NOW = datetime(2026, 3, 10, 8, 12, 30, tzinfo=UTC)
OPERATOR, READER = "of-who-may-act-0123456789", "of-who-may-look-0123456789"
TRIGGER_SECRET = "of-who-may-trigger-0123456789"
PLANTED = "hunter2-planted-secret"
"""A configured secret that tools, people and files here carelessly repeat."""
ZONE = "Europe/Berlin"
END = RunState.SUCCEEDED
D, F, C, R, W = (RunState(s) for s in ("degraded", "failed", "cancelled", "running", "waiting"))


@dataclass(frozen=True)
class Sketch:
    """One job of the company: its recent past as letters, newest last."""

    id: str
    description: str
    cron: str
    owner: str = "data team"
    usual: float = 20.0
    past: str = "s"
    last: RunState = END


# fmt: off
COMPANY = (
    Sketch("ad_spend_import", "Spend of yesterday's campaigns", "30 6 * * *", "growth", 41, "ssssfsssss"),
    Sketch("churn_features", "Feature table of the churn model", "0 4 * * *", "data science", 611, "ssssssssff", F),
    Sketch("daily_sales_report", "The report that is read at ten", "0 9 * * *", "sales", 14, "ssssssdsss"),
    Sketch("fx_rates", "Exchange rates of the central bank", "*/30 * * * *", "finance", 2.2, "s"),
    Sketch("hourly_stock_sync", "Stock of all shops into the warehouse", "0 * * * *", "logistics", 95, "ssssssfsss", R),
    Sketch("invoice_reminders", "Reminders of unpaid invoices", "15 8 * * MON-FRI", "finance", 33, "sssscsssss", W),
    Sketch("legacy_export", "The nightly file for the old system", "0 2 * * *", "platform", 8, "ssss"),
    Sketch("newsletter", "What is new, to those who asked for it", "0 7 * * THU", "growth", 75, "ssscsssssc", C),
    Sketch("supplier_feed", "Prices of suppliers", "0 5 * * *", "purchasing", 240, "sssdsssdss"),
    Sketch("weekly_digest", "Last week on one page", "0 8 * * MON", "management", 19, "sssssssssd", D),
)
# fmt: on
_STATES = {"s": END, "d": RunState.DEGRADED, "f": RunState.FAILED, "c": RunState.CANCELLED}
_REASONS = {
    RunState.DEGRADED: "the chart is missing: the source had no data for Sunday",
    RunState.FAILED: "features: 'timeout: no answer from the warehouse within 10 min'",
    RunState.CANCELLED: "cancelled by grace",
}

TOOLS: Mapping[str, ToolSpec] = {
    tool.name: tool
    for tool in (
        replace(make_tool("db_query_sales"), description="Read the orders of one day from a database."),
        replace(make_tool("calculate_kpis"), description="Revenue, orders and averages beside the same weekday."),
        replace(make_tool("generate_chart"), description="Draw the day's hours as one picture."),
        replace(make_tool("format_markdown_report"), description="Write the report."),
        replace(make_tool("slack_send_message", Effect.EXTERNAL, destination=("channel",)), description="Post it."),
    )
}


BROKEN = BrokenTool("old_ftp", "/tools/old_ftp.py", 3, "there is no module named 'ftp'")


def plan_of(job: str, goal: str) -> Plan:
    steps = (
        Step("query", "db_query_sales", "Query orders", {"day": "${run.date}", "source": "shop"}),
        Step("kpis", "calculate_kpis", "Compute figures", {"data": "${steps.query.output.rows}"}, ("query",)),
        Step("chart", "generate_chart", "Draw chart", {}, ("kpis",), optional=True),
        Step("report", "format_markdown_report", "Write report", {}, ("kpis",), ("chart",)),
        Step("post", "slack_send_message", "Post to #sales", {"channel": "#sales"}, ("report",), open=("channel",)),
    )
    return Plan(job, goal, steps, TOOLS, digest=hashlib.sha256(f"{job}{goal}".encode()).hexdigest())


@dataclass
class House:
    """Everything at one fixed moment."""

    folder: Path
    store: Store = field(default_factory=MemoryStore)
    queries: Queries | None = None
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW))
    artifacts: MemoryArtifacts = field(default_factory=MemoryArtifacts)
    live: Live = field(default_factory=Live)
    jobs: dict[str, Job] = field(default_factory=dict)
    picture: bytes = b""
    open_metrics: bool = False
    trouble: str = ""

    @property
    def asks(self) -> Queries:
        if self.queries is not None:
            return self.queries
        assert isinstance(self.store, MemoryStore)
        return self.store

    @property
    def site(self) -> Site:
        redactor = Redactor([PLANTED, OPERATOR, READER, TRIGGER_SECRET])
        return Site(
            queries=self.asks,
            commands=self.commands,
            artifacts=self.artifacts,
            outbox=OutboxFolder(self.folder / "outbox"),
            clock=self.clock,
            jobs=lambda: self.jobs,
            tools=lambda: Toolbox(TOOLS, {"old_ftp": BROKEN}),
            redactor=lambda: redactor,
            exposition=lambda: b"clockwright_runs_total 1\n",
            health=self,
            passes=Passes(lambda: Tokens(READER, OPERATOR)),
            live=self.live,
            trigger_secret=lambda: TRIGGER_SECRET,
            open_metrics=self.open_metrics,
        )

    @property
    def commands(self) -> StoreCommands:
        plans = Plans(self.store)
        return StoreCommands(self.store, self.asks, plans, self.clock, lambda: self.jobs, lambda: None, "2026a")

    def stuck(self) -> str:
        return self.trouble

    def unready(self) -> str:
        return ""

    def furnish(self, runs: int = 12) -> House:
        """The company with its history: that many runs of each job."""
        dice = random.Random(7)
        for sketch in COMPANY:
            self.add(sketch, dice, runs)
        self.jobs["legacy_export"] = replace(self.jobs["legacy_export"], broken="the tool old_ftp is broken")
        self.store.pause(Pause("supplier_feed", NOW - timedelta(days=1), "ada", "their server is moved"))
        self.store.create([], watermarks={"ad_spend_import": NOW - timedelta(hours=20)})
        self._decided_earlier()
        self._post_messages()
        actor = Actor("grace", "page 10.0.0.7")
        self.commands.resume(actor, "newsletter")
        self.commands.pause(Actor("ada", "cli reports-1"), "supplier_feed", "their server is moved", None)
        return self

    def add(self, sketch: Sketch, dice: random.Random, runs: int) -> None:
        job = Job(
            id=sketch.id,
            plan=plan_of(sketch.id, sketch.description),
            schedule=Schedule(sketch.cron, ZONE),
            timezone=ZONE,
            description=sketch.description,
            owner=sketch.owner,
            runbook=f"https://wiki.example.com/{sketch.id}",
            tags=("daily",) if sketch.cron.endswith("* * *") else (),
            source=f"jobs/{sketch.id}.yaml:1",
            timing=Timing(),
        )
        self.jobs[job.id] = job
        self.store.save_plan(job.plan.digest, to_plain(job.plan))
        assert job.schedule
        instants = _instants(job.schedule, runs)
        births = [self._birth(job, sketch, at, place - len(instants), dice) for place, at in enumerate(instants)]
        mark = NOW if sketch.id != "ad_spend_import" else instants[-2]
        last = births.pop()
        self.store.create(births, watermarks={job.id: mark})
        if sketch.id != "ad_spend_import":
            self._finish(sketch, last)

    def _birth(self, job: Job, sketch: Sketch, at: datetime, place: int, dice: random.Random) -> Birth:
        past = sketch.past
        state = sketch.last if place == -1 else _STATES[past[place]] if -place <= len(past) else _usual(dice)
        run = new_run(job, occurrence(job, at, "2026a"), at, cause="schedule")
        took = timedelta(seconds=sketch.usual * dice.uniform(0.8, 1.3))
        ended = replace(
            run,
            state=state,
            reason=_REASONS.get(state, ""),
            started_at=at + timedelta(seconds=0.2),
            ended_at=at + took if state.ended else None,
        )
        return Birth(ended, (), LedgerRow(occurrence(job, at, "2026a"), Disposition.STARTED, "", run.id, at))

    def _finish(self, sketch: Sketch, last: Birth) -> None:
        """The newest run has steps and a history."""
        run, events = last.run, list(_events(last.run, sketch, self._artifact()))
        steps = {step.step: step for step in _steps(run, sketch, events)}
        asked = _question(run) if run.state is RunState.WAITING else None
        whole = replace(run, steps=steps, sequence=len(events))
        self.store.create([replace(last, run=whole, events=tuple(events))])
        if asked:
            self._ask(whole, asked)

    def _ask(self, run: Run, asked: Escalation) -> None:
        step = replace(run.steps["post"], escalation=asked.id)
        after = replace(
            run,
            version=run.version + 1,
            sequence=run.sequence + 1,
            escalations={asked.id: asked},
            steps={**run.steps, "post": step},
        )
        self.store.commit(Change(run, after, (Escalated(asked.asked_at, asked),)))

    def _decided_earlier(self) -> None:
        """One question that a person answered, and one that nobody did."""
        for job, by, option, ago in (("churn_features", "grace", "retry", 4), ("weekly_digest", "expiry", "skip", 26)):
            run = self.asks.run(self.asks.runs(job, limit=1)[0].id)
            at = NOW - timedelta(hours=ago)
            asked = replace(_question(run), id=f"ask-{job}", step=None, asked_at=at - timedelta(hours=4), expires_at=at)
            before = replace(run, version=run.version + 1, sequence=run.sequence + 1, escalations={asked.id: asked})
            self.store.commit(Change(run, before, (Escalated(asked.asked_at, asked),)))
            after = replace(before, version=before.version + 1, sequence=before.sequence + 1, escalations={})
            self.store.commit(Change(before, after, (Answered(at, asked.id, option, by),)))

    def _artifact(self) -> Mapping[str, object]:
        content = self.picture or png()
        digest = self.artifacts.put(content)
        return {"name": "sales.png", "sha256": digest, "size": len(content), "media_type": "image/png"}

    def _post_messages(self) -> None:
        folder = self.folder / "outbox" / "6bcdd7e76afd57c2"
        (folder / "files").mkdir(parents=True)
        text = f"Sales of Monday: 48,210.40 € (+6 %). token={PLANTED}"
        (folder / "message.json").write_text(json.dumps({"channel": "#sales", "text": text, "blocks": []}))
        (folder / "index.html").write_text(
            "<!doctype html><html lang=en><title>Message</title><style>p{color:#1d1c1d}img{max-width:100%}</style>"
            f'<main><p>{text}</p><img src="files/sales.png" alt="Sales by hour"></main></html>'
        )
        (folder / "receipt.json").write_text("{}")
        os.utime(folder / "receipt.json", times=(at := (NOW - timedelta(minutes=12)).timestamp(), at))
        (folder / "files" / "sales.png").write_bytes(self.picture or png())


@lru_cache
def _instants(schedule: Schedule, count: int) -> list[datetime]:
    return newest_due(schedule, NOW - timedelta(days=400), NOW, count)


def _usual(dice: random.Random) -> RunState:
    return dice.choices([END, RunState.DEGRADED, RunState.FAILED], [94, 4, 2])[0]


def _question(run: Run) -> Escalation:
    at = NOW - timedelta(minutes=38)
    return Escalation(
        id=f"{run.id}.post.1",
        step="post",
        question="denied: the channel #finance is archived. Post the 212 reminders elsewhere, skip them, or abort?",
        options=("retry", "skip", "abort"),
        default="abort",
        asked_at=at,
        remind_at=at + timedelta(hours=2),
        expires_at=at + timedelta(hours=4),
        digest="digest-of-the-question",
    )


_SUMMARIES = {
    "query": f"1,204 orders of 2026-03-09 (dsn=postgresql://reader:{PLANTED}@db/shop)",
    "kpis": "48,210.40 € revenue, 1,204 orders, 40.04 € each",
    "chart": "sales.png, 1200 × 675",
    "report": "report-2026-03-09.md, 2,311 characters",
    "post": "posted to #sales",
}


def _events(run: Run, sketch: Sketch, picture: Mapping[str, object]) -> Iterator[Event]:
    """Steps in turn; where the run failed, its second step did, three times."""
    at, part = run.started_at or run.queued_at, timedelta(seconds=sketch.usual / 6)
    yield RunStarted(at)
    for name in _reached(run):
        yield Decided(at, name, _decision(name))
        failed = run.state is RunState.FAILED and name == "kpis"
        for number in (1, 2, 3) if failed else (1,):
            yield AttemptStarted(at, name, Attempt(number, Purpose.RUN, at, at + timedelta(minutes=1), "digest"))
            at += part
            if failed:
                trouble = Failed(Kind.TIMEOUT, "no answer from the warehouse within 10 min", "look at its load")
                yield AttemptEnded(at, name, number, trouble, f"connecting as reader with {PLANTED} …\nwaiting …")
            elif run.state.ended or name != _reached(run)[-1]:
                made = (picture,) if name == "chart" else ()
                yield AttemptEnded(
                    at, name, number, Succeeded({"rows": 1204, "secret": PLANTED}, _SUMMARIES[name], made)
                )
    if run.state.ended:
        yield RunEnded(run.ended_at or at, run.state, run.reason)


def _reached(run: Run) -> Sequence[str]:
    whole = ("query", "kpis", "chart", "report", "post")
    return {RunState.FAILED: whole[:2], RunState.RUNNING: whole[:3], RunState.CANCELLED: whole[:2]}.get(
        run.state, whole
    )


def _decision(step: str) -> Decision:
    if step == "kpis":
        return Decision(
            Letter.A, "calculate_kpis", "the orders are there and none is left over", "model", Letter.A,
            model="gpt-5-mini", prompt_version="decide-3", tokens_in=812, tokens_out=41, cost="0.0004", seconds=0.8,
        )  # fmt: skip
    return Decision(Letter.A, TOOLS_OF[step], "ready", "rule", Letter.A)


TOOLS_OF = {step.id: step.use for step in plan_of("any", "any").steps}


def _steps(run: Run, sketch: Sketch, events: Iterable[Event]) -> Iterator[StepRun]:
    ended = {each.step: each for each in events if isinstance(each, AttemptEnded)}
    begun = {each.step: each for each in events if isinstance(each, AttemptStarted)}
    for step in plan_of(sketch.id, "any").steps:
        if step.id not in begun:
            skipped = StepState.SKIPPED if run.state.ended else StepState.PENDING
            yield StepRun(step.id, skipped, cause="what it needs is missing" if run.state.ended else "")
            continue
        yield _step(step.id, begun[step.id], ended.get(step.id))


def _step(name: str, begun: AttemptStarted, ended: AttemptEnded | None) -> StepRun:
    at = StepRun(name, StepState.RUNNING, tries=1, started=begun.attempt.number, started_at=begun.at)
    if ended is None:
        return replace(at, attempt=begun.attempt) if name != "post" else at
    if isinstance(ended.outcome, Failed):
        return replace(at, state=StepState.FAILED, cause=ended.outcome.message, ended_at=ended.at)
    assert isinstance(ended.outcome, Succeeded)
    done = ended.outcome
    return replace(
        at, state=StepState.DONE, summary=done.summary, output=done.output, artifacts=done.artifacts, ended_at=ended.at
    )


def png(width: int = 8, height: int = 8) -> bytes:
    """A small grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xc8" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
