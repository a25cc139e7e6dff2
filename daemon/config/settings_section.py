"""What clockwright.yaml may say of the daemon itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from .alerting import AlertsSection
from .durations import Duration
from .sections import DefaultsSection, ModelSection, Name, Section
from .slack import SlackSection

Port = Annotated[int, Field(ge=1, le=65535)]
HttpUrl = Annotated[str, Field(pattern=r"^(https?://\S+)?$")]


class SecretSection(Section):
    """Exactly one of the three places."""

    env: str | None = Field(default=None, min_length=1)
    """Environment variable of the daemon."""
    file: str | None = Field(default=None, min_length=1)
    """Path of a file; relative to the config folder."""
    credential: str | None = Field(default=None, pattern=r"^[\w.-]+$")
    """Name of a systemd credential."""

    @model_validator(mode="after")
    def _one_place(self) -> SecretSection:
        if len(self.model_fields_set) != 1:
            raise ValueError("a secret comes from exactly one of env, file and credential")
        return self


class EndpointSection(Section):
    host: str = "127.0.0.1"
    port: Port | None = None
    """Off where it is not set."""


class HttpSection(EndpointSection):
    port: Port | None = 8470
    """Off with `null`."""
    reader_token: Name | None = None
    """The secret that lets one look; a file in the state folder where neither token is set and the host is loopback."""
    operator_token: Name | None = None
    """The secret that lets one look and act."""
    trigger_secret: Name | None = None
    """The secret that `POST /trigger/JOB` is signed with; off where it is not set."""
    open_metrics: bool = False
    """Whether `/metrics` is served without a token."""


class CatchUpSection(Section):
    at_once: int = Field(default=10, ge=1, le=10_000)
    """How many late runs start in one second, over all jobs."""
    ask_above: int = Field(default=100, ge=1, le=1_000_000)
    """How many jobs may have something to catch up at once before a person is asked."""


class HeartbeatSection(Section):
    """Who listens outside whether the daemon and its jobs live: the protocol of healthchecks."""

    loop: HttpUrl = ""
    """Called while the scheduler's loop makes turns; its absence is the alarm."""
    jobs: HttpUrl = ""
    """`{job}` stands for a job's id. Called at its success; with /start and /fail behind it at those."""
    every: Duration = timedelta(minutes=1)
    """How often the loop's own is called."""
    timeout: Duration = timedelta(seconds=5)

    @field_validator("jobs")
    @classmethod
    def _names_the_job(cls, url: str) -> str:
        if url and "{job}" not in url:
            raise ValueError("'{job}' is missing: every job has an address of its own")
        return url


class LogSection(Section):
    format: Literal["auto", "text", "json"] = "auto"
    """`auto` is text on a terminal and JSON elsewhere."""
    level: Literal["debug", "info", "warning", "error"] = "info"


class SettingsSection(Section):
    state: str = Field(default="state", min_length=1)
    """Folder of everything the daemon keeps; relative to the config folder."""
    store: str | None = Field(default=None, min_length=1)
    """SQLAlchemy URL; a SQLite file in the state folder where it is not set."""
    artifacts: str | None = Field(default=None, min_length=1)
    """Folder of the files that steps make; in the state folder where it is not set."""
    outbox: str | None = Field(default=None, min_length=1)
    """Folder of what would have been sent; in the state folder where it is not set."""
    tools: list[str] = Field(default_factory=list)
    """Further folders of tools; relative to the config folder."""
    secrets: dict[Name, SecretSection] = Field(default_factory=dict)
    defaults: DefaultsSection = DefaultsSection()
    model: ModelSection | None = None
    """The language model of every job that does not say otherwise."""
    environment: Name | None = None
    """The one of `environments` that counts; CLOCKWRIGHT_ENVIRONMENT and --environment say otherwise."""
    environments: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    """What differs in each: mappings are merged name by name, anything else is replaced."""
    http: HttpSection = HttpSection()
    """The status page and its API."""
    metrics: EndpointSection = EndpointSection()
    parallel_runs: int = Field(default=8, ge=1, le=1000)
    """How many runs work at once."""
    concurrency: dict[Name, Annotated[int, Field(ge=1, le=1000)]] = Field(default_factory=dict)
    """How many runs of jobs with a tag work at once: `{warehouse: 2}`."""
    catch_up: CatchUpSection = CatchUpSection()
    """How what is late after an outage is caught up."""
    alerts: AlertsSection = AlertsSection()
    """To whom what is wrong is told, how often, and when not."""
    slack: SlackSection = SlackSection()
    """How Slack is reached, and who may answer there."""
    heartbeat: HeartbeatSection = HeartbeatSection()
    """Signs of life for somebody outside."""
    log: LogSection = LogSection()
