"""One job file in, its jobs out: overlaid, checked, compiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from zoneinfo import available_timezones

from pydantic import ValidationError

from ..domain.compiler import broken_tools, compile_plan
from ..domain.contracts import unset_secrets
from ..domain.draft import Draft, Refusal, Refused, Toolbox
from ..domain.job import Job
from ..domain.nearest import did_you_mean
from ..domain.plan import Plan
from ..domain.references import Key
from .drafts import draft_of
from .explain import explain
from .faults import ConfigError, Fault
from .located import Located
from .models import complaints, model_of
from .sections import JobSection
from .timetable import Timetable


@dataclass(frozen=True, slots=True)
class Loading:
    """One job on its way: what came of it, and everything to say about it. `job` is None where it has faults."""

    name: str
    document: Located
    job: Job | None
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()


def load_job(document: Located, toolbox: Toolbox, folder: Path) -> Loading:
    """Takes one overlaid job. Never raises for a faulty one."""
    name = _name(document)
    try:
        section = JobSection.model_validate(document.plain())
    except ValidationError as error:
        return Loading(name, document, None, tuple(explain(error, document, JobSection)))
    checked = _Checked(document, section, toolbox, folder)
    faults = tuple(checked.faults())
    warnings = tuple(checked.warnings())
    job = None if faults else checked.job()
    return Loading(name, document, job, faults or tuple(checked.broken), warnings)


def _name(document: Located) -> str:
    found = document.mapping.get("id")
    return found.value if found and isinstance(found.value, str) else ""


@dataclass(frozen=True)
class _Checked:
    """A job of the right shape, and what is still to be known about it."""

    document: Located
    section: JobSection
    toolbox: Toolbox
    folder: Path

    @cached_property
    def zone(self) -> str:
        return self.section.timezone or self.firing_zone or "UTC"

    @property
    def firing_zone(self) -> str | None:
        return self.section.schedule.timezone if self.section.schedule else None

    @cached_property
    def timetable(self) -> Timetable:
        return Timetable(self.section, self.firing_zone or self.zone, self._at)

    @cached_property
    def draft(self) -> Draft:
        return draft_of(self.section, shares_dates=self.timetable.often)

    @cached_property
    def compiled(self) -> Plan | Refused:
        try:
            return compile_plan(self.draft, self.toolbox)
        except Refused as refused:
            return refused

    @cached_property
    def broken(self) -> tuple[Fault, ...]:
        return tuple(map(self._refusal, broken_tools(self.draft, self.toolbox)))

    def faults(self) -> Iterator[Fault]:
        yield from self._zone_fault(("timezone",), self.section.timezone)
        yield from self._zone_fault(("schedule", "timezone"), self.firing_zone)
        yield from self.timetable.faults
        for path, message, hint in complaints(self.section.model, self.toolbox, self.folder):
            yield self._at(("model", *path), message, hint)
        if isinstance(self.compiled, Refused):
            yield from map(self._refusal, self.compiled.refusals)

    def warnings(self) -> Iterator[Fault]:
        yield from self.timetable.warnings(zone_is_known=(self.firing_zone or self.zone) in _zones())
        if self.section.timezone is None and self.firing_zone is None:
            yield self._at((), "no timezone is set, so the job's days are UTC days", "set 'timezone'")
        for number, step in enumerate(self.draft.steps):
            for name in unset_secrets(step, self.toolbox):
                message = f"the tool {step.use!r} needs the secret {name!r}, which is not configured"
                yield self._at(("steps", number, "use"), message, "add it under 'secrets' in clockwright.yaml")

    def job(self) -> Job:
        assert isinstance(self.compiled, Plan)  # noqa: S101 - callers look for faults first
        section = self.section
        return Job(
            id=section.id,
            plan=self.compiled,
            schedule=self.timetable.schedule,
            timing=self.timetable.timing,
            after=self.timetable.after,
            timezone=self.zone,
            description=section.description,
            owner=section.owner,
            runbook=section.runbook,
            tags=tuple(section.tags),
            source=f"{self.document.place.file}:{self.document.place.line}",
            retention=section.retention.runs,
            broken="; ".join(fault.message for fault in self.broken),
            model=model_of(section.model, self.folder),
            secrets=tuple(sorted({name for step in self.compiled.steps for name in step.secrets.values()})),
        )

    def _zone_fault(self, path: tuple[Key, ...], name: str | None) -> Iterator[Fault]:
        if name is not None and name not in _zones():
            hint = did_you_mean(name, _zones()) or "use an IANA name such as Europe/Berlin"
            yield self._at(path, f"there is no time zone {name!r}", hint)

    def _refusal(self, refusal: Refusal) -> Fault:
        return self._at(refusal.path, refusal.message, refusal.hint)

    def _at(self, path: tuple[Key, ...], message: str, hint: str = "") -> Fault:
        return Fault.at(self.document.find(path).start, message, hint)


@cache
def _zones() -> frozenset[str]:
    """Read once: listing them opens some six hundred files."""
    return frozenset(available_timezones())


def expect_mapping(document: Located) -> None:
    """Raises ConfigError for a file that is a list or a word."""
    if not isinstance(document.value, dict):
        hint = "one job a file, beginning with 'id:'"
        raise ConfigError(Fault.at(document.place, "a job file must be a mapping", hint))
