"""Jobs that follow other ones: what only the whole configuration can tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.compiler import digest
from ..domain.job import Job
from ..domain.nearest import did_you_mean
from .faults import Fault
from .jobs import Loading


def chained(found: Sequence[Loading]) -> list[Loading]:
    """The same jobs; one that follows nobody, or itself in the end, has a fault, and one that follows a job which is
    due several times a day shares its dates as that one does.
    """
    jobs = {loading.name: loading.job for loading in found if loading.job}
    names = {loading.name for loading in found}
    return [_linked(loading, jobs, names) for loading in found]


def _linked(loading: Loading, jobs: Mapping[str, Job], names: set[str]) -> Loading:
    job = loading.job
    if job is None or not job.after:
        return loading
    place = loading.document.find(("schedule", "after")).start
    if job.after not in names:
        fault = Fault.at(place, f"there is no job {job.after!r} to follow", did_you_mean(job.after, names))
        return replace(loading, job=None, faults=(*loading.faults, fault))
    way = list(_upstream(job, jobs))
    if way[-1] == job.id or len(set(way)) < len(way):
        message = f"jobs follow each other in a circle: {' after '.join([job.id, *way])}"
        fault = Fault.at(place, message, "one of them needs a 'cron' or 'every'")
        return replace(loading, job=None, faults=(*loading.faults, fault))
    head = jobs.get(way[-1])
    return replace(loading, job=_dated(job, head)) if head else loading


def _upstream(job: Job, jobs: Mapping[str, Job]) -> Iterator[str]:
    """The ids that it follows, up to the first one that follows nobody or that was met before."""
    seen: set[str] = set()
    following: Job | None = job
    while following and following.after:
        yield following.after
        if following.after in seen or following.after == job.id:
            return
        seen.add(following.after)
        following = jobs.get(following.after)


def _dated(job: Job, head: Job) -> Job:
    """Due when the head of its chain is, and sharing dates where that one does."""
    dated = replace(job, head=head.dating)
    return _sharing(dated) if head.plan.shares_dates else dated


def _sharing(job: Job) -> Job:
    plan = replace(job.plan, shares_dates=True)
    return replace(job, plan=replace(plan, digest=digest(plan)))
