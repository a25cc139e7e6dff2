"""clockwright.yaml, the environment on top of it, and secrets that never show."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config import ConfigError, read_settings
from daemon.config.secrets import SecretMissing, Secrets, SecretSource
from daemon.config.settings_section import SettingsSection
from daemon.config.variables import VARIABLES, unknown_variables
from tests.unit.config.workshop import Workshop


def test_the_defaults_lie_in_the_state_folder(workshop: Workshop) -> None:
    workshop.settings("tools: [more]\n")

    settings = read_settings(workshop.folder, environ={})

    assert settings.store == f"sqlite:///{workshop.folder}/state/clockwright.db"
    assert settings.outbox == workshop.folder / "state" / "outbox"
    assert settings.tools == (workshop.folder / "more",)
    assert (settings.http.port, settings.metrics.port) == (8470, None)


def test_an_environment_variable_wins_over_the_file(workshop: Workshop) -> None:
    workshop.settings("http: {host: 127.0.0.2, port: 80}\n")

    settings = read_settings(workshop.folder, environ={"CLOCKWRIGHT_HTTP_PORT": "81", "CLOCKWRIGHT_STATE": "/var/x"})

    assert (settings.http.host, settings.http.port, settings.state) == ("127.0.0.2", 81, Path("/var/x"))


def test_a_bad_environment_variable_is_named(workshop: Workshop) -> None:
    with pytest.raises(ConfigError, match=r"^\$CLOCKWRIGHT_HTTP_PORT: 'port' must be a whole number, not text"):
        read_settings(workshop.folder, environ={"CLOCKWRIGHT_HTTP_PORT": "http"})


def test_a_misspelt_variable_is_a_warning() -> None:
    (warning,) = unknown_variables({"CLOCKWRIGHT_HTTP_PROT": "1", "CLOCKWRIGHT_REAL_DATA": "x", "HOME": "/"})

    assert str(warning).startswith("$CLOCKWRIGHT_HTTP_PROT: this environment variable means nothing (did you mean")


def test_every_variable_stands_for_a_key_there_is() -> None:
    known = SettingsSection.model_fields

    assert all(path[0] in known for path in VARIABLES.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("htp: {}", "clockwright.yaml:1:1: unknown key 'htp' (did you mean 'http'?)"),
        ("http: {port: 0}", "clockwright.yaml:1:14: 'port': input should be greater than or equal to 1"),
        ("secrets: {token: {env: A, file: B}}", "clockwright.yaml:1:18: 'token': a secret comes from exactly one of"),
        ("secrets: {token: hunter2}", "clockwright.yaml:1:18: 'token' must be a mapping"),
        (
            "http: {operator_token: tokn}\nsecrets: {token: {env: T}}",
            "clockwright.yaml:1:24: operator_token: there is no",
        ),
        (
            "http: {host: 0.0.0.0}",
            "clockwright.yaml:1:14: the page at 0.0.0.0 is open to others, and there is no token",
        ),
        *(
            (f"slack: {{api: 'http://{host}/api/'}}", "clockwright.yaml:1:14: 'api': the token would be sent for all")
            for host in ("slack.example.com", "127.0.0.1.example.com", "localhost@example.com", "10.0.0.1")
        ),
        ("environment: prod", "clockwright.yaml:1:14: there is no environment 'prod'"),
        ("defaults: {timezon: UTC}", "clockwright.yaml:1:12: unknown key 'timezon' (did you mean 'timezone'?)"),
        ("log: {format: xml}", "clockwright.yaml:1:15: 'format': input should be 'auto', 'text' or 'json'"),
        ("- a", "clockwright.yaml:1:1: the file must be a mapping, not a list"),
    ],
)
def test_a_fault_in_the_settings_is_reported_at_its_place(workshop: Workshop, text: str, message: str) -> None:
    workshop.settings(text)

    with pytest.raises(ConfigError) as refused:
        read_settings(workshop.folder, environ={})

    assert str(refused.value).startswith(message)
    assert "hunter2" not in repr(refused.value)


def test_a_secret_is_read_when_it_is_asked_for(workshop: Workshop) -> None:
    environ = {"TOKEN": "one"}
    settings = read_settings(workshop.folder, environ=environ)
    environ["TOKEN"] = "two"

    assert settings.secrets("token") == "two"
    assert "two" not in repr(settings)


def test_a_secret_file_loses_its_last_line_end(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret\n")

    assert Secrets({"key": SecretSource("file", str(tmp_path / "key"))}, {})("key") == "s3cret"


def test_a_credential_comes_from_the_folder_that_systemd_names(tmp_path: Path) -> None:
    (tmp_path / "slack").write_text("abc")

    assert (
        Secrets({"key": SecretSource("credential", "slack")}, {"CREDENTIALS_DIRECTORY": str(tmp_path)})("key") == "abc"
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SecretSource("env", "NOPE"), "set the environment variable NOPE"),
        (SecretSource("env", "EMPTY"), "is empty"),
        (SecretSource("file", "/nowhere/key"), "cannot be read from /nowhere/key: No such file"),
        (SecretSource("credential", "slack"), "systemd passed none"),
    ],
)
def test_a_secret_that_is_not_there_says_where_it_should_be(source: SecretSource, message: str) -> None:
    with pytest.raises(SecretMissing, match=message):
        Secrets({"key": source}, {"EMPTY": ""})("key")


def test_a_secret_nobody_configured_is_missing() -> None:
    with pytest.raises(SecretMissing, match="no secret 'key' is configured"):
        Secrets({}, {})("key")


def test_tools_are_lent_the_slack_token_whatever_its_secret_is_called(workshop: Workshop) -> None:
    workshop.settings("secrets: {bot: {env: BOT}}\nslack: {token: bot, api: 'http://127.0.0.1:1/api/'}\n")

    secrets = read_settings(workshop.folder, environ={"BOT": "xoxb-1"}).secrets

    assert (secrets("slack_token"), secrets("slack_api")) == ("xoxb-1", "http://127.0.0.1:1/api/")
    assert set(secrets.values()) == {"xoxb-1"}, "an address is no secret, and is not hidden"


def test_a_secret_called_slack_token_is_the_slack_token(workshop: Workshop) -> None:
    workshop.settings("secrets: {slack_token: {env: BOT}}\n")

    settings = read_settings(workshop.folder, environ={"BOT": "xoxb-1"})

    assert settings.slack.token == "slack_token"
    assert "slack_api" not in settings.secrets.names


def test_without_a_token_tools_are_lent_nothing_of_slack(workshop: Workshop) -> None:
    workshop.settings("secrets: {other: {env: BOT}}\n")

    settings = read_settings(workshop.folder, environ={})

    assert settings.slack.token == ""
    assert settings.secrets.names == {"other"}
