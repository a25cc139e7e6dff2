"""What the compiler takes and what it says: a job as the person wrote it, and the reasons why it cannot run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from .defaults import Limits
from .plan import Decide, Step
from .references import Key
from .tool import BrokenTool, ToolSpec


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a job cannot be compiled. `path` leads from the job's root to the place, as in the file."""

    step: str
    path: tuple[Key, ...]
    message: str
    hint: str = ""


class Refused(ValueError):
    """The job has faults; all of them."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("; ".join(refusal.message for refusal in self.refusals))


@dataclass(frozen=True, slots=True)
class Draft:
    """A job's steps before compilation; `timeouts` (by position) are the ones that the person set."""

    job: str
    goal: str
    steps: tuple[Step, ...]
    timeouts: Mapping[int, timedelta] = field(default_factory=dict)
    decide: Decide = Decide.ON_EXCEPTION
    limits: Limits = Limits()
    shares_dates: bool = False
    about: Mapping[str, str] = field(default_factory=dict)
    """What references may say of the job: description, owner, runbook."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Every tool that was found, the broken ones, and the names of the configured secrets.

    A name may be in both: a sound tool wins over a broken file that would shadow it.
    """

    tools: Mapping[str, ToolSpec]
    broken: Mapping[str, BrokenTool] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    def why_broken(self, name: str) -> BrokenTool | None:
        return None if name in self.tools else self.broken.get(name)
