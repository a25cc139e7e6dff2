"""Digests that name things: inputs, effects, questions. Equal values give equal digests, on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from .model import Failed, Json, Run
from .plan import Plan, Step
from .tool import ToolSpec

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Json) -> str:
    """SHA-256 of the canonical JSON, 64 hex digits. Raises ValueError for NaN and infinity."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()


def error_digest(failure: Failed, input_digest: str) -> str:
    return digest([failure.kind, failure.message, input_digest])[:16]


def effect_key(plan: Plan, run: Run, step: Step, inputs: Mapping[str, Json]) -> str:
    """Names one effect on the world: the same on retry, resume and re-run, whatever else changes.

    The instant counts only where several occurrences share a date, so that an edited schedule does not make
    yesterday's report a new one.
    """
    destination = {name: inputs.get(name) for name in plan.tool(step).destination}
    instant = run.instant.isoformat() if plan.shares_dates else None
    parts = [run.job, run.data.day.isoformat(), instant, step.id, destination, run.send]
    # A dry run delivers to another place, so it must never stand for the real thing.
    return digest([*parts, "dry"] if run.dry_run else parts)[:32]


def place(tool: ToolSpec, inputs: Mapping[str, Json]) -> str:
    """Names where a call lands, whoever makes it."""
    return digest([tool.name, {name: inputs.get(name) for name in tool.destination}])[:32]


def attempt_id(run: Run, step: str, number: int) -> str:
    return f"{run.id}.{step}.{number}"
