"""A job that has not started or not ended by its deadline, and what keeps it from that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .deadlines import Standing, deadline, grace, patience
from .job import Job
from .model import Run, RunState, StepRun, StepState
from .pause import Pause
from .timing import Overlap


@dataclass(frozen=True, slots=True)
class Overdue:
    """`since` is the deadline that has passed, `instant` the due time that it belongs to."""

    instant: datetime
    since: datetime
    begun: bool

    def name(self, job: str) -> str:
        """Names it among everything that was ever late."""
        return f"overdue/{job}/{self.instant.isoformat()}/{'ended' if self.begun else 'started'}"

    def told(self, job: Job, cause: str) -> str:
        zone = ZoneInfo(job.timezone)
        what = "ended" if self.begun else "started"
        due, since = self.instant.astimezone(zone), self.since.astimezone(zone)
        return (
            f"{job.id}, due {due:%Y-%m-%d %H:%M} ({job.timezone}), has not {what} by {since:%Y-%m-%d %H:%M:%S}: {cause}"
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """What may keep a job from its work."""

    pause: Pause | None = None
    run: Run | None = None
    """Its oldest unfinished one."""
    away: str = ""
    """Why nobody was there to start anything."""


def overdue(job: Job, standing: Standing, queued: datetime | None, now: datetime) -> Overdue | None:
    """The oldest deadline of the job that has passed. `queued` is the instant of a run that has not begun yet.

    A paused job is late all the same: it is its pause that is told as the cause.
    """
    return min(_passed(job, standing, queued, now), key=lambda found: found.since, default=None)


def _passed(job: Job, standing: Standing, queued: datetime | None, now: datetime) -> Iterator[Overdue]:
    found = deadline(job, replace(standing, paused=False), now)
    # Waiting for an earlier run to end is what `queue` is for; where it takes too long, that run is late itself.
    in_line = standing.open is not None and job.timing.overlap is Overlap.QUEUE and job.timing.start_within is None
    if found.owed and found.starts_by and found.starts_by < now and not in_line:
        yield Overdue(found.owed, found.starts_by, begun=False)
    if standing.open and standing.open + patience(job) < now:
        yield Overdue(standing.open, standing.open + patience(job), begun=standing.open != queued)
    if queued and queued + grace(job) < now:
        yield Overdue(queued, queued + grace(job), begun=False)


def unchanged_until(job: Job, standing: Standing, queued: datetime | None, now: datetime) -> datetime:
    """As long as the job stands like this and is not late, it cannot be before then."""
    found = deadline(job, replace(standing, paused=False), now)
    deadlines = (
        found.starts_by,
        standing.open and standing.open + patience(job),
        queued and queued + grace(job),
    )
    return min((at for at in deadlines if at and at >= now), default=now + timedelta(days=1))


def cause(job: Job, scene: Scene) -> str:
    """In one line."""
    if scene.pause:
        return scene.pause.told
    if job.broken:
        return f"the job is blocked: {job.broken}"
    if scene.run:
        return standing_of(scene.run)
    return scene.away or "the daemon is behind with its work"


def standing_of(run: Run) -> str:
    """What a run that has not ended does."""
    if run.state is RunState.QUEUED:
        return f"run {run.id} is queued: as many runs as may work at once are at work"
    if asked := next(iter(run.escalations.values()), None):
        return f"run {run.id} waits for a person: {asked.question}"
    at = next((step for step in run.steps.values() if step.state is StepState.RUNNING), None)
    return f"run {run.id}: {_doing(at)}" if at else f"run {run.id} is {run.state}"


def _doing(at: StepRun) -> str:
    why = f" after {at.failure.kind}: {at.failure.message}" if at.failure else ""
    return f"{at.step} {'waits for its next try' if at.wake_at else 'is at work'}{why}"
