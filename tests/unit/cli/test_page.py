"""The page's tokens, its health, and its place beside the daemon."""

from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from daemon.cli.exit_codes import ExitCode
from daemon.cli.page import STUCK_SECONDS, Hiding, Tokened, Watched
from daemon.cli.trouble import Refused
from daemon.config import read_settings
from daemon.ports import StoreUnavailable
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


class Turning:
    turns = 0


class TestHealth:
    def test_a_loop_without_a_turn_is_stuck(self) -> None:
        clock, loop = FakeClock(), Turning()
        health = Watched(loop, clock, lambda: None)  # type: ignore[arg-type]
        clock.advance(STUCK_SECONDS)
        assert health.stuck() == ""
        clock.advance(1)
        assert health.stuck() == "the loop has made no turn for 61 s"
        loop.turns += 1
        assert health.stuck() == ""

    def test_a_loop_that_turned_since_anybody_looked_is_well(self) -> None:
        clock, loop = FakeClock(), Turning()
        health = Watched(loop, clock, lambda: None)  # type: ignore[arg-type]
        clock.advance(10 * STUCK_SECONDS)
        loop.turns += 100
        assert health.stuck() == ""

    def test_it_is_not_ready_without_its_store(self) -> None:
        def away() -> None:
            raise StoreUnavailable("locked by hunter2")

        health = Watched(Turning(), FakeClock(), away)  # type: ignore[arg-type]
        assert health.unready() == "the store does not answer"


def test_a_rotated_secret_is_hidden_within_seconds() -> None:
    clock, values = FakeClock(), ["first-secret"]
    hiding = Hiding(lambda: values, clock)
    first = hiding()
    values[:] = ["second-secret"]
    assert hiding() is first
    clock.advance(11)
    assert "second-secret" not in hiding()("it is second-secret")
    again = hiding()
    clock.advance(11)
    assert hiding() is again
