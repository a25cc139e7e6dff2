"""What is configured now: a reload puts another configuration in its place while others hold on to its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .adapters.sandbox.recipe import Recipe
from .config import Loaded, Settings
from .config.secrets import Secrets
from .domain.draft import Toolbox
from .domain.job import Job
from .domain.llm import Llm
from .domain.tool import BrokenTool, ToolSpec
from .runtime.renewal import Jobs, in_force

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Rotating:
    """Secrets as they are configured whenever one is read, not as they were at the start."""

    secrets: Callable[[], Secrets]

    def __call__(self, name: str) -> str:
        """Raises SecretMissing."""
        return self.secrets()(name)

    def values(self) -> list[str]:
        """Every value that can be read now, for hiding them."""
        return self.secrets().values()


class InForce:
    """`jobs`, `tools` and `broken` stay the same objects, so that whoever was given one sees what is in it now."""

    def __init__(self, config: Loaded) -> None:
        self.settings = config.settings
        self.jobs: dict[str, Job] = dict(config.by_id)
        self.tools: dict[str, ToolSpec] = dict(config.tools)
        self.broken: dict[str, BrokenTool] = dict(config.broken)

    @property
    def secrets(self) -> Rotating:
        return Rotating(lambda: self.settings.secrets)

    def toolbox(self) -> Toolbox:
        """The tools as they are now, the broken ones too."""
        return Toolbox(tools=self.tools, broken=self.broken)

    def take(self, config: Loaded) -> Jobs:
        """Put it in force, from any thread; a job whose file is bad now stays as it was."""
        jobs = in_force(self.jobs, Jobs(config.by_id, config.absent))
        _replace(self.jobs, jobs.by_id)
        self.tools.update(config.tools)
        _replace(self.broken, config.broken)
        self.settings = config.settings
        return jobs


def _replace(old: dict[str, Value], new: Mapping[str, Value]) -> None:
    """Never empty in between: other threads look."""
    old.update(new)
    for name in old.keys() - new.keys():
        del old[name]


def models_of(config: Loaded) -> Mapping[str, Llm]:
    """The model of every job that has one."""
    return {job.id: job.model for job in config.jobs if job.model}


def recipe_of(settings: Settings, jobs: Iterable[Job]) -> Recipe:
    """Which tools the sandbox loads ahead."""
    used = {tool for job in jobs for tool in job.plan.tools}
    return Recipe(folders=settings.tools, tools=tuple(sorted(used)), cache=settings.state / "cache")
