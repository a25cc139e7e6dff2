"""From the sections of a job file to the domain's values."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.defaults import TOOL_TIMEOUT, Limits, Retry
from ..domain.draft import Draft
from ..domain.plan import Accept, Decide, Exhausted, Repair, Step
from .sections import AcceptSection, JobSection, StepSection


def draft_of(section: JobSection, *, shares_dates: bool) -> Draft:
    """The job's steps as they will be compiled."""
    return Draft(
        job=section.id,
        goal=section.goal,
        steps=tuple(map(_step, section.steps)),
        timeouts={n: step.timeout for n, step in enumerate(section.steps) if step.timeout is not None},
        decide=Decide(section.decide),
        limits=Limits(**dict(section.limits)),
        shares_dates=shares_dates,
        about={"description": section.description, "owner": section.owner, "runbook": section.runbook},
    )


def _step(section: StepSection) -> Step:
    repair = section.repair
    return Step(
        id=section.id,
        use=section.use,
        title=section.title,
        inputs=section.with_,
        needs=tuple(section.needs),
        needs_weak=tuple(section.needs_weak),
        accept=tuple(rule for accept in section.accept for rule in _rules(accept)),
        timeout=section.timeout or TOOL_TIMEOUT,
        retry=Retry(**dict(section.retry)),
        repair=Repair(repair.use, repair.with_) if repair else None,
        approve=section.approve,
        optional=section.optional,
        fallback=section.fallback,
        on_exhausted=Exhausted(section.on_exhausted),
        open=tuple(section.open),
        secrets=section.secrets,
    )


def _rules(section: AcceptSection) -> Iterator[Accept]:
    for name in sorted(section.model_fields_set - {"path"}):
        yield Accept(section.path, name.rstrip("_"), getattr(section, name))
