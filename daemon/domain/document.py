"""A run as JSON: the one shape that the command line prints and the API gives to programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import wording
from .delivery import deliveries
from .events import Event
from .job import Job
from .model import Escalation
from .pause import Pause
from .picture import Picture, StepPicture


def document(picture: Picture, things: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The run for a program."""
    run = picture.run
    return {
        "run": run.id,
        "job": run.job,
        "date": run.data.day.isoformat(),
        "timezone": run.data.timezone,
        "revision": run.revision,
        "cause": run.cause,
        "dry_run": run.dry_run,
        "state": run.state.value,
        "reason": run.reason,
        "queued_at": run.queued_at.isoformat(),
        "started_at": run.started_at and run.started_at.isoformat(),
        "ended_at": run.ended_at and run.ended_at.isoformat(),
        "steps": [_step(shown) for shown in picture.steps],
        "escalations": [_asked(asked) for asked in run.escalations.values()],
        "deliveries": [each.document for each in deliveries(picture.plan, run)],
        "made": [dict(thing) for thing in things],
    }


def job_document(job: Job, last: Mapping[str, str] | None, next_due: str | None, held: Pause | None) -> dict[str, Any]:
    """A job for a program."""
    return {
        "id": job.id,
        "description": job.description,
        "owner": job.owner,
        "tags": list(job.tags),
        "runbook": job.runbook,
        "schedule": job.schedule and {"written": job.schedule.written, "timezone": job.schedule.timezone},
        "after": job.after or None,
        "timezone": job.timezone,
        "next_due": next_due,
        "last_run": last,
        "broken": job.broken or None,
        "paused": held and _pause(held),
        "source": job.source,
    }


def _pause(held: Pause) -> dict[str, Any]:
    until = held.until and held.until.isoformat()
    return {"since": held.since.isoformat(), "until": until, "by": held.by, "why": held.why}


def history(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What happened, one line each."""
    return [
        {
            "at": event.at.isoformat(),
            "kind": type(event).__name__,
            "step": wording.step_of(event),
            "text": wording.tell(event),
        }
        for event in events
    ]


def _step(shown: StepPicture) -> dict[str, Any]:
    return {
        "id": shown.step.id,
        "tool": shown.step.use,
        "state": shown.at.state.value,
        "tries": shown.at.started,
        "seconds": shown.at.ended_at and shown.seconds(shown.at.ended_at),
        "summary": shown.at.summary,
        "cause": shown.at.cause,
        "missing": list(shown.at.missing),
        "stale": shown.at.stale or None,
        "decisions": list(shown.decisions),
    }


def _asked(asked: Escalation) -> dict[str, Any]:
    return {
        "id": asked.id,
        "step": asked.step,
        "question": asked.question,
        "options": list(asked.options),
        "default": asked.default,
        "expires_at": asked.expires_at.isoformat(),
    }
