"""From the sections of a job file to the domain's values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..domain.defaults import TOOL_TIMEOUT, Limits, Retry
from ..domain.draft import Draft
from ..domain.graph import steps_read
from ..domain.plan import Accept, Decide, Exhausted, Fresh, Repair, Step
from .sections import AcceptSection, FreshSection, JobSection, StepSection


def draft_of(section: JobSection, *, shares_dates: bool) -> Draft:
    """The job's steps as they will be compiled."""
    return Draft(
        job=section.id,
        goal=section.goal,
        steps=tuple(_gated(_step(step), _fresh(section.fresh)) for step in section.steps),
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
        fresh=_fresh(section.fresh),
        approve=section.approve,
        optional=section.optional,
        fallback=section.fallback,
        on_exhausted=Exhausted(section.on_exhausted),
        open=tuple(section.open),
        secrets=section.secrets,
    )


def _fresh(section: FreshSection | None) -> Fresh | None:
    if section is None:
        return None
    return Fresh(section.use, section.until, section.with_, section.every, section.at_most)


def _gated(step: Step, gate: Fresh | None) -> Step:
    """The whole job's gate is that of every step that begins it."""
    first = not step.needs and not step.needs_weak and not any(steps_read(step))
    return replace(step, fresh=gate) if gate and first and step.fresh is None else step


def _rules(section: AcceptSection) -> Iterator[Accept]:
    for name in sorted(section.model_fields_set - {"path"}):
        yield Accept(section.path, name.rstrip("_"), getattr(section, name))
