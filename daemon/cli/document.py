"""A run as JSON: the one shape that `run`, `demo` and `runs show` print for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..domain.model import Escalation
from .picture import Picture, StepPicture
from .results import Made


def document(picture: Picture, things: list[Made]) -> dict[str, Any]:
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
        "made": [asdict(thing) for thing in things],
    }


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
