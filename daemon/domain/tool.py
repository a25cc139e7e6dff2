"""What the daemon knows of a tool: its contract as data. The tool's code is never imported here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any


class Effect(StrEnum):
    """What a tool does to the world, and so what a crash allows the daemon to repeat."""

    NONE = "none"
    IDEMPOTENT = "idempotent"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """An atomic tool as its describing process reported it.

    `digest` covers the tool's source and every shared `_name.py` it imports; `destination` names the input
    fields that say where an external effect lands; the schemas are JSON Schema, draft 2020-12.
    """

    name: str
    description: str
    effect: Effect
    timeout: timedelta
    version: str
    secrets: tuple[str, ...]
    destination: tuple[str, ...]
    reconcile: bool
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    digest: str
    path: str
    optional_secrets: tuple[str, ...] = ()
    """Those of `secrets` that the tool can do without."""
    pace: timedelta = timedelta(0)
    """At least so long between two calls to one destination."""


@dataclass(frozen=True, slots=True)
class BrokenTool:
    """A module that is not a usable tool, with place and reason; only the jobs that use it are blocked."""

    name: str
    path: str
    line: int | None
    message: str
