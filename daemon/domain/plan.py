"""The compiled plan: a directed acyclic graph of steps. A run stores it and follows it to its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cached_property

from .defaults import TOOL_TIMEOUT, Limits, Retry
from .model import Json
from .tool import Effect, ToolSpec


class Exhausted(StrEnum):
    """What happens when a step has used up its attempts."""

    ESCALATE = "escalate"
    FAIL = "fail"
    SKIP = "skip"


class Decide(StrEnum):
    """When a decider is asked: around every step, or only where the rule has no clear answer."""

    ALWAYS = "always"
    ON_EXCEPTION = "on_exception"


@dataclass(frozen=True, slots=True)
class Repair:
    """The tool that may mend a `bad_data` failure once, and its inputs."""

    use: str
    inputs: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fresh:
    """The step waits until the source is complete: until `until` holds for what the probe tool says, at most so long.

    After `at_most` the step goes on all the same, and the run is degraded.
    """

    use: str
    until: str = ""
    """CEL over `output`; without it the probe's own success is enough."""
    inputs: Mapping[str, Json] = field(default_factory=dict)
    every: timedelta = timedelta(minutes=5)
    at_most: timedelta = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Accept:
    """One acceptance rule: `path` points into the step's output, `rule` names the check, `value` is its argument."""

    path: str
    rule: str
    value: Json = None


@dataclass(frozen=True, slots=True)
class Step:
    """One use of one tool. `inputs` may hold `${...}` references; fields not in `open` are locked."""

    id: str
    use: str
    title: str = ""
    inputs: Mapping[str, Json] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    needs_weak: tuple[str, ...] = ()
    accept: tuple[Accept, ...] = ()
    timeout: timedelta = TOOL_TIMEOUT
    retry: Retry = Retry()
    repair: Repair | None = None
    fresh: Fresh | None = None
    approve: bool = False
    optional: bool = False
    fallback: str | None = None
    """The step that stands in once this one has failed for good."""
    on_exhausted: Exhausted = Exhausted.ESCALATE
    open: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    """The tool's name for a secret to the configured secret's name."""


@dataclass(frozen=True)
class Plan:
    """`tools` holds the contract of every tool as it was at compile time; `digest` names all of it."""

    job: str
    goal: str
    steps: tuple[Step, ...]
    tools: Mapping[str, ToolSpec]
    decide: Decide = Decide.ON_EXCEPTION
    limits: Limits = Limits()
    about: Mapping[str, str] = field(default_factory=dict)
    """What references may say of the job: description, owner, runbook."""
    shares_dates: bool = False
    """Several occurrences report on one date, so the instant is part of an effect's key."""
    digest: str = ""

    @cached_property
    def by_id(self) -> Mapping[str, Step]:
        return {step.id: step for step in self.steps}

    @cached_property
    def dependants(self) -> Mapping[str, tuple[str, ...]]:
        """Step id to the ids of the steps that need it strongly."""
        return {s.id: tuple(d.id for d in self.steps if s.id in d.needs) for s in self.steps}

    @cached_property
    def weak_dependants(self) -> Mapping[str, tuple[str, ...]]:
        return {s.id: tuple(d.id for d in self.steps if s.id in d.needs_weak) for s in self.steps}

    @cached_property
    def originals(self) -> Mapping[str, str]:
        """Each stand-in's id to the id of the step that it stands in for."""
        return {step.fallback: step.id for step in self.steps if step.fallback}

    def tool(self, step: Step) -> ToolSpec:
        return self.tools[step.use]

    def is_external(self, step: Step) -> bool:
        return self.tools[step.use].effect is Effect.EXTERNAL

    def external(self) -> Iterator[Step]:
        return (step for step in self.steps if self.is_external(step))
