"""The whole configuration: settings, jobs, and every fault at once. A bad job file does not hurt the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..domain.absent import Absent
from ..domain.draft import Toolbox
from ..domain.job import Job
from ..domain.tool import BrokenTool, ToolSpec
from .chaining import chained
from .faults import ConfigError, Fault
from .jobs import Loading, expect_mapping, load_job
from .settings import Settings
from .yaml_source import read

JOBS = "jobs"


@dataclass(frozen=True, slots=True)
class Loaded:
    """`jobs` are those without faults, and those whose only fault is a broken tool (see `Job.broken`)."""

    settings: Settings
    jobs: tuple[Job, ...]
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    """Every tool as it is now; empty where nobody looked."""
    broken: Mapping[str, BrokenTool] = field(default_factory=dict)
    """Tools that cannot be used, whoever wants them."""
    absent: Absent = Absent()
    """Why jobs are missing from `jobs`."""

    @property
    def by_id(self) -> Mapping[str, Job]:
        return {job.id: job for job in self.jobs}


def load(settings: Settings, toolbox: Toolbox) -> Loaded:
    """Every job of the config folder. Never raises for a faulty job file."""
    found: list[Loading] = []
    faults: list[Fault] = []
    unreadable = ""
    for path in _files(settings.folder / JOBS):
        try:
            found += _load_file(path, settings, toolbox)
        except ConfigError as error:
            faults += error.faults
            unreadable = str(error.faults[0])
    found = chained(found)
    doubled = list(_doubled(found))
    names = {name for name, _ in doubled}
    for loading in found:
        faults += loading.faults
    return Loaded(
        settings=settings,
        jobs=tuple(loading.job for loading in found if loading.job and loading.name not in names),
        faults=tuple(sorted({*faults, *(fault for _, fault in doubled)})),
        warnings=tuple(sorted({warning for loading in found for warning in loading.warnings})),
        tools=toolbox.tools,
        broken=toolbox.broken,
        absent=Absent(_faulty(found, dict(doubled)), unreadable),
    )


def _faulty(found: list[Loading], doubled: Mapping[str, Fault]) -> Mapping[str, str]:
    faults = {loading.name: loading.faults[0] for loading in found if loading.name and loading.job is None}
    return {name: str(fault) for name, fault in {**faults, **doubled}.items()}


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.y*ml") if path.suffix in {".yaml", ".yml"} and path.is_file())


def _load_file(path: Path, settings: Settings, toolbox: Toolbox) -> Iterator[Loading]:
    document = read(path, f"{JOBS}/{path.name}")
    expect_mapping(document)
    for job in settings.overlay.apply(document):
        yield load_job(job, toolbox, settings.folder)


def _doubled(found: list[Loading]) -> Iterator[tuple[str, Fault]]:
    first: dict[str, Loading] = {}
    for loading in found:
        if not loading.name:
            continue
        if loading.name in first:
            other = first[loading.name].document.find(("id",)).start
            place = loading.document.find(("id",)).start
            message = f"two jobs have the id {loading.name!r}: here and at {other}"
            yield loading.name, Fault.at(place, message, "rename one of them; neither is loaded")
        first.setdefault(loading.name, loading)
