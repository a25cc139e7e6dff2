"""clockwright.yaml, then the environment on top of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

from pydantic import ValidationError

from ..domain.nearest import did_you_mean
from .alerting import manners
from .explain import explain
from .faults import ConfigError, Fault, Place
from .located import Located, locate, merge
from .overlays import Overlay
from .secrets import Secrets, SecretSource
from .settings import Endpoint, Http, Settings
from .settings_section import SecretSection, SettingsSection
from .slack import lent, secrets_named, slack
from .variables import with_variables
from .yaml_source import read

FILE = "clockwright.yaml"


def read_settings(folder: Path, environment: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Raises ConfigError with every fault of clockwright.yaml and of the environment."""
    variables = os.environ if environ is None else environ
    document = with_variables(read(folder / FILE, FILE), variables)
    if environment is not None:
        document = merge(document, locate({"environment": environment}, Place("--environment")))
    chosen = _in_environment(document)
    section = _validated(chosen)
    _expect_secrets(chosen)
    return _settings(folder.absolute(), section, chosen, variables)


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
