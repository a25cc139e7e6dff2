"""Everything that one run needs, in memory and in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from daemon.domain.model import Json, Run
from daemon.domain.plan import Plan
from daemon.ports import Call, Decider, Message, MessageKind
from daemon.runtime.deciders import RuleDecider
from daemon.runtime.outside import Outside
from daemon.runtime.plans import Plans

from .fake_clock import FakeClock
from .inline_executor import InlineExecutor
from .memory_artifacts import MemoryArtifacts
from .memory_store import MemoryStore
from .plays import Play, Script
from .recording_sink import RecordingSink
from .scripted_runner import ScriptedRunner
from .tools import make_run


@dataclass
class Stage:
    """One daemon with scripted tools. `play` carries a run as far as it goes by itself."""

    script: Callable[[Call], Play] = field(default_factory=Script)
    decider: Decider = field(default_factory=RuleDecider)
    owner: str = "first"

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(boot=self.clock.boot)
        self.artifacts = MemoryArtifacts()
        self.sink = RecordingSink()
        self.plans = Plans(self.store)
        self.runner = ScriptedRunner(self.clock, self.script)
        self.outside = Outside(
            owner=self.owner,
            clock=self.clock,
            store=self.store,
            runner=self.runner,
            decider=self.decider,
            artifacts=self.artifacts,
            sink=self.sink,
            secret=lambda name: f"secret of {name}",
        )
        self.executor = InlineExecutor(self.outside, self.plans, self.clock)

    def begin(self, plan: Plan, revision: int = 1) -> str:
        """Start a run of the plan now; its id."""
        self.plans.keep(plan)
        run = make_run(plan, self.clock.now(), revision)
        self.executor.begin(run, plan)
        return run.id

    def play(self, run_id: str, seconds: float = 86_400.0) -> Run:
        """Let time pass until the run has ended, or waits for a person, or `seconds` are over."""
        until = self.clock.boot() + seconds
        while self.clock.boot() < until:
            run = self.store.load(run_id)
            if run.state.ended or (run.escalations and run_id not in self.executor.carried):
                break
            self._move(run_id, until)
        return self.store.load(run_id)

    def run(self, plan: Plan) -> Run:
        return self.play(self.begin(plan))

    def answer(self, run_id: str, option: str, **body: Json) -> None:
        """A person answers the first open question."""
        question = next(iter(self.store.load(run_id).escalations.values()))
        self.post(run_id, MessageKind.ANSWER, {"escalation": question.id, "option": option, **body})

    def post(self, run_id: str, kind: MessageKind, body: Mapping[str, Json]) -> None:
        self.store.post(Message(run_id, kind, "ada", self.clock.now(), body))
        self.executor.drive(run_id)

    def restart(self, owner: str = "second") -> None:
        """The daemon is killed; another one starts on what is stored."""
        self.runner.close()
        self.runner = ScriptedRunner(self.clock, self.script, self.runner.receiver)
        self.outside = replace(self.outside, owner=owner, runner=self.runner)
        self.executor = InlineExecutor(self.outside, self.plans, self.clock)

    def _move(self, run_id: str, until: float) -> None:
        for due in self.store.due(self.clock.now(), self.outside.owner, 10):
            self.executor.drive(due)
        if run_id in self.executor.carried:
            self.clock.ring_next()
            return
        wake = self.store.next_wake()
        left = until - self.clock.boot()
        self.clock.advance(min(left, max(0.0, (wake - self.clock.now()).total_seconds())) if wake else left)
