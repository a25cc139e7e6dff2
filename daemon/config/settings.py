"""What the daemon itself is told, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..domain.manners import Manners
from .overlays import Overlay
from .secrets import Secrets
from .settings_section import CatchUpSection, HeartbeatSection
from .slack import Slack


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where something listens; off without a port."""

    host: str
    port: int | None


@dataclass(frozen=True, slots=True)
class Http(Endpoint):
    """The page and its API; secrets by name, empty where there is none."""

    reader_token: str = ""
    operator_token: str = ""
    trigger_secret: str = ""
    open_metrics: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Every path is absolute. `secrets(name)` reads a secret."""

    folder: Path
    state: Path
    store: str = field(repr=False)
    """SQLAlchemy URL; it may hold a password."""
    artifacts: Path
    outbox: Path
    tools: tuple[Path, ...]
    secrets: Secrets
    environment: str
    http: Http
    metrics: Endpoint
    parallel_runs: int
    concurrency: Mapping[str, int]
    catch_up: CatchUpSection
    heartbeat: HeartbeatSection = field(repr=False)
    manners: Manners
    """How alerts are told."""
    second: tuple[str, ...]
    """Secrets that hold the addresses of the second channel."""
    slack: Slack
    """How Slack is reached, and who may answer there."""
    log_format: str
    log_level: str
    overlay: Overlay
    """What lies under and over every job file."""


_TAKEN_AT_START = (
    "state", "store", "artifacts", "outbox", "http", "metrics", "parallel_runs", "heartbeat", "log_format", "log_level",
)  # fmt: skip


def waits_for_restart(started: Settings, now: Settings) -> list[str]:
    """What differs and is only looked at when a daemon starts; everything else counts after a reload."""
    names = [name for name in _TAKEN_AT_START if getattr(started, name) != getattr(now, name)]
    return [name.replace("log_", "log.") for name in names]
