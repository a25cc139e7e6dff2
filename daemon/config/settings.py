"""What the daemon itself is told: clockwright.yaml, then the environment on top of it, frozen."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from ..domain.manners import Manners
from ..domain.model import Json
from ..domain.nearest import did_you_mean
from .alerting import AlertsSection, manners
from .durations import Duration
from .explain import explain
from .faults import ConfigError, Fault, Place
from .located import Located, locate, merge
from .overlays import Overlay
from .secrets import Secrets, SecretSource
from .sections import DefaultsSection, ModelSection, Name, Section
from .slack import Slack, SlackSection, lent, secrets_named, slack
from .yaml_source import read, scalar

FILE = "clockwright.yaml"
PREFIX = "CLOCKWRIGHT_"
OTHER_VARIABLES = frozenset({"CLOCKWRIGHT_CONFIG", "CLOCKWRIGHT_REAL_DATA", "CLOCKWRIGHT_TOKEN", "CLOCKWRIGHT_URL"})
"""Read elsewhere, so not mistaken for a misspelt setting."""
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


VARIABLES: Mapping[str, tuple[str, ...]] = {
    PREFIX + "_".join(path).upper(): path
    for path in (
        ("state",),
        ("store",),
        ("artifacts",),
        ("outbox",),
        ("environment",),
        ("http", "host"),
        ("http", "port"),
        ("metrics", "host"),
        ("metrics", "port"),
        ("parallel_runs",),
        ("log", "format"),
        ("log", "level"),
    )
}
"""Environment variables that override the file, each with the key it stands for."""


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


def read_settings(folder: Path, environment: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Raises ConfigError with every fault of clockwright.yaml and of the environment."""
    variables = os.environ if environ is None else environ
    document = _with_variables(read(folder / FILE, FILE), variables)
    if environment is not None:
        document = merge(document, locate({"environment": environment}, Place("--environment")))
    chosen = _in_environment(document)
    section = _validated(chosen)
    _expect_secrets(chosen)
    return _settings(folder.absolute(), section, chosen, variables)


def unknown_variables(environ: Mapping[str, str]) -> Iterator[Fault]:
    """Warnings for variables that look like settings and are none."""
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in VARIABLES and name not in OTHER_VARIABLES:
            yield Fault(f"${name}", 0, 0, "this environment variable means nothing", did_you_mean(name, VARIABLES))


def _with_variables(document: Located, environ: Mapping[str, str]) -> Located:
    if document.value is None:
        document = replace(document, value={})
    for name, path in VARIABLES.items():
        if name in environ:
            document = merge(document, locate(_nested(path, scalar(environ[name])), Place(f"${name}")))
    return document


def _nested(path: tuple[str, ...], value: Json) -> Json:
    return {path[0]: _nested(path[1:], value)} if path else value


def _in_environment(document: Located) -> Located:
    chosen, known = document.mapping.get("environment"), document.mapping.get("environments")
    if chosen is None or not isinstance(chosen.value, str):
        return document
    overlay = known.mapping.get(chosen.value) if known else None
    if overlay is None:
        hint = did_you_mean(chosen.value, known.mapping if known else ())
        raise ConfigError(Fault.at(chosen.place, f"there is no environment {chosen.value!r}", hint))
    return document if overlay.value is None else merge(document, overlay)


def _validated(document: Located) -> SettingsSection:
    try:
        return SettingsSection.model_validate(document.plain())
    except ValidationError as error:
        raise ConfigError(*explain(error, document, SettingsSection)) from None


def _settings(folder: Path, section: SettingsSection, document: Located, environ: Mapping[str, str]) -> Settings:
    state = folder / section.state
    outbox = folder / section.outbox if section.outbox else state / "outbox"
    return Settings(
        folder=folder,
        state=state,
        store=section.store or f"sqlite:///{state / 'clockwright.db'}",
        artifacts=folder / section.artifacts if section.artifacts else state / "artifacts",
        outbox=outbox,
        tools=tuple(folder / path for path in section.tools),
        secrets=_secrets(folder, section, environ),
        environment=section.environment or "",
        http=_http(section, document),
        metrics=Endpoint(section.metrics.host, section.metrics.port),
        parallel_runs=section.parallel_runs,
        concurrency=section.concurrency,
        catch_up=section.catch_up,
        heartbeat=section.heartbeat,
        manners=manners(section.alerts),
        second=tuple(section.alerts.second),
        slack=slack(section.slack, section.secrets),
        log_format=section.log.format,
        log_level=section.log.level,
        overlay=Overlay(
            defaults=_defaults(document),
            environment=section.environment or "",
            environments=tuple(section.environments),
            variables=environ,
            settings={"folder": str(folder), "state": str(state), "outbox": str(outbox)},
        ),
    )


def _http(section: SettingsSection, document: Located) -> Http:
    """Raises ConfigError for a secret that is not there, and for an open door without a key."""
    http, at = section.http, document.mapping.get("http") or document
    names = {name: getattr(http, name) or "" for name in ("reader_token", "operator_token", "trigger_secret")}
    faults = [
        Fault.at(at.find([key]).place, f"{key}: there is no secret {name!r}", did_you_mean(name, section.secrets))
        for key, name in names.items()
        if name and name not in section.secrets
    ]
    if http.port is not None and not _loopback(http.host) and not http.operator_token:
        message = f"the page at {http.host} is open to others, and there is no token"
        faults.append(Fault.at(at.find(["host"]).place, message, "name a secret in http.operator_token"))
    if faults:
        raise ConfigError(*faults)
    return Http(http.host, http.port, **names, open_metrics=http.open_metrics)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _defaults(document: Located) -> Located | None:
    """What lies under every job: the model of all jobs among it."""
    defaults, model = document.mapping.get("defaults"), document.mapping.get("model")
    if model is None or model.value is None:
        return defaults
    under = defaults if defaults and defaults.mapping else Located({}, model.place)
    return replace(under, value={"model": model, **under.mapping})


def _expect_secrets(document: Located) -> None:
    """Raises ConfigError for every secret that is named and that nobody configured."""
    known = document.mapping.get("secrets")
    names = known.mapping if known else {}
    hint = "add it to 'secrets'"
    faults = [
        Fault.at(one.place, f"there is no secret {one.value!r}", did_you_mean(one.value, names) or hint)
        for one in _secrets_in(document)
        if isinstance(one.value, str) and one.value not in names
    ]
    if faults:
        raise ConfigError(*faults)


def _secrets_in(document: Located) -> Iterator[Located]:
    """Wherever the settings name a secret."""
    yield from document.find(("alerts", "second")).items
    for section, key in secrets_named():
        if named := document.mapping.get(section, document).mapping.get(key):
            yield named


def _secrets(folder: Path, section: SettingsSection, environ: Mapping[str, str]) -> Secrets:
    named = {name: _source(folder, secret) for name, secret in section.secrets.items()}
    return Secrets(named | lent(section.slack, named), environ)


def _source(folder: Path, section: SecretSection) -> SecretSource:
    if section.file is not None:
        return SecretSource("file", str(folder / section.file))
    if section.env is not None:
        return SecretSource("env", section.env)
    return SecretSource("credential", section.credential or "")
