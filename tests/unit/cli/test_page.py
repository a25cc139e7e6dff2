"""The page's tokens, its health, and its place beside the daemon."""

from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from daemon.adapters.fresh_redactor import FreshRedactor
from daemon.cli.exit_codes import ExitCode
from daemon.cli.page import Tokened, Watched
from daemon.cli.trouble import Refused
from daemon.config import read_settings
from daemon.domain.health import Health
from daemon.testing.fake_clock import FakeClock
from tests.unit.cli.desk import Desk

CONFIGURED = "state: ../state\nsecrets: {page: {env: PAGE}}\nhttp: {operator_token: page}\n"


def tokened(folder: Path, **environ: str) -> Tokened:
    settings = read_settings(folder, environ=environ)
    return Tokened(settings, lambda: settings.secrets)


def test_a_token_is_made_once_and_is_for_the_owner_alone(desk: Desk) -> None:
    with ThreadPoolExecutor(8) as pool:
        values = set(pool.map(lambda _: tokened(desk.folder).value("operator_token"), range(8)))
    assert len(values) == 1
    assert values != {tokened(desk.folder).value("reader_token")}
    [path] = (desk.folder.parent / "state").glob("web-operator-token")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.glob(".web-*")) == []


def test_a_configured_token_is_the_only_one(desk: Desk) -> None:
    (desk.folder / "clockwright.yaml").write_text(CONFIGURED)
    tokens = tokened(desk.folder, PAGE="0123456789abcdef")
    assert tokens.now() == ("", "0123456789abcdef")
    with pytest.raises(Refused, match="reader_token is not set"):
        tokens.value("reader_token")
    tokens.expect()


def test_a_short_token_is_refused_and_never_shown(desk: Desk) -> None:
    (desk.folder / "clockwright.yaml").write_text(CONFIGURED)
    tokens = tokened(desk.folder, PAGE="hunter2")
    with pytest.raises(Refused, match="'page' is too short") as refused:
        tokens.expect()
    assert "hunter2" not in str(refused.value)
    assert tokens.now() == ("", "")


def test_the_command_prints_it(desk: Desk, clockwright: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = clockwright("web", "token")
    assert (code, out.strip()) == (ExitCode.OK, tokened(desk.folder).value("operator_token"))
    assert clockwright("web", "token", "--reader")[1].strip() == tokened(desk.folder).value("reader_token")


class TestHealth:
    def test_a_stalled_loop_is_told(self) -> None:
        health = Watched(lambda: Health(alive=False, ready=False, why="the loop has made no turn for 91 s"))
        assert (health.stuck(), health.unready()) == ("the loop has made no turn for 91 s",) * 2

    def test_nothing_is_told_where_nothing_is_wrong(self) -> None:
        health = Watched(lambda: Health(alive=True, ready=True))
        assert (health.stuck(), health.unready()) == ("", "")

    def test_what_the_store_said_is_not_told_to_whoever_asks(self) -> None:
        health = Watched(lambda: Health(alive=True, ready=False, why="the store: locked by hunter2"))
        assert (health.stuck(), health.unready()) == ("", "the store does not answer")


def test_a_rotated_secret_is_hidden_within_seconds() -> None:
    clock, values = FakeClock(), ["first-secret"]
    redactor = FreshRedactor(lambda: values, clock)
    first = redactor()
    values[:] = ["second-secret"]
    assert redactor() is first
    clock.advance(11)
    assert "second-secret" not in redactor()("it is second-secret")
    again = redactor()
    clock.advance(11)
    assert redactor() is again
