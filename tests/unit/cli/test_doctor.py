"""Each check finds what is wrong, names what mends it, and shows no secret."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from daemon.adapters.sql.backup import mark_restored
from daemon.adapters.sql.opening import open_database, open_store
from daemon.cli.checks import configuration, machine, outside, storage
from daemon.cli.doctor import line
from daemon.config import Loaded, read_settings
from daemon.config.secrets import Secrets, SecretSource
from daemon.config.settings import Settings
from daemon.domain.checkup import Finding, Level, fail, ok, warn, worst
from daemon.domain.draft import Toolbox
from daemon.domain.plan import Step
from daemon.domain.tool import BrokenTool
from daemon.testing.tools import LOOK, make_job, make_plan
from tests.builders import T0


def settings(folder: Path, text: str = "") -> Settings:
    (folder / "clockwright.yaml").write_text(f"state: state\n{text}")
    (folder / "state").mkdir(mode=0o700, exist_ok=True)
    return read_settings(folder)


def levels(findings: Iterable[Finding]) -> list[Level]:
    return [finding.level for finding in findings if finding.level is not Level.OK]


def test_a_sound_store_passes_and_a_damaged_one_fails_with_the_way_out(tmp_path: Path) -> None:
    found = settings(tmp_path)
    path = tmp_path / "state" / "clockwright.db"
    open_store(path).close()
    assert Level.FAIL not in levels(storage.store(found))
    database = open_database(path)
    mark_restored(database, T0, T0)
    database.close()
    assert any(T0.isoformat() in finding.text for finding in storage.store(found))
    path.write_bytes(path.read_bytes()[:4096] + os.urandom(8192))
    damaged = [finding for finding in storage.store(found) if finding.level is Level.FAIL]
    assert ["restore" in finding.fix for finding in damaged] != []


def test_an_open_state_folder_is_warned_of(tmp_path: Path) -> None:
    found = settings(tmp_path)
    (tmp_path / "state").chmod(0o755)
    assert any(finding.fix.startswith("chmod 700") for finding in storage.store(found))


def test_messages_without_a_receiver_are_said(tmp_path: Path) -> None:
    assert levels(storage.outbox(settings(tmp_path))) == []
    assert levels(outside.slack(settings(tmp_path))) == [Level.WARN]


@pytest.mark.parametrize(
    ("answer", "level", "told"),
    [
        ({"ok": True, "user": "reporter", "team": "Acme"}, Level.OK, "reporter in Acme"),
        ({"ok": False, "error": "invalid_auth"}, Level.FAIL, "invalid_auth"),
        ({"ok": False, "error": "ratelimited"}, Level.WARN, "ratelimited"),
    ],
)
def test_slack_is_asked_who_we_are(tmp_path: Path, answer: dict[str, object], level: Level, told: str) -> None:
    (tmp_path / "token").write_text("xoxb-planted-value")
    with _answering(json.dumps(answer).encode()) as api:
        text = f"secrets: {{bot: {{file: token}}}}\nslack: {{token: bot, api: '{api}'}}\n"
        found = list(outside.slack(settings(tmp_path, text)))
    assert (found[0].level, told in found[0].text) == (level, True)
    assert found[-1].level is Level.WARN, "nobody can answer there"
    assert "planted" not in " ".join(map(line, found))


@contextmanager
def _answering(body: bytes) -> Iterator[str]:
    """A server that says the same to everybody."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the standard library's name
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_secrets_are_looked_at_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("planted-value")
    (tmp_path / "key").chmod(0o644)
    loaded = Loaded(settings(tmp_path, "secrets: {open: {file: key}, gone: {env: NOT_SET_ANYWHERE}}\n"), (), ())
    found = list(configuration.secrets(loaded))
    assert levels(found) == [Level.WARN, Level.WARN]
    assert "planted-value" not in " ".join(map(line, found))


def test_a_broken_tool_is_named_with_its_place() -> None:
    broken = BrokenTool("bad", "/tools/bad.py", 3, "no Output")
    found = list(configuration.tools(Toolbox({"look": LOOK}, {"bad": broken}, frozenset())))
    assert (found[0].level, "/tools/bad.py:3" in found[0].fix) == (Level.FAIL, True)


def test_a_database_is_reached_and_its_password_hidden(tmp_path: Path) -> None:
    (tmp_path / "shop.db").touch()
    good, gone = f"sqlite:///{tmp_path}/shop.db", f"sqlite:///{tmp_path}/gone.db"
    refused = "postgresql://ada:planted-value@127.0.0.1:1/shop"
    steps = [Step(name, "look", inputs={"url": url}) for name, url in (("a", good), ("b", gone))]
    job = make_job(make_plan([*steps, Step("c", "look", secrets={"database_url": "shop"})]))
    secrets = Secrets({"shop": SecretSource("env", "SHOP")}, {"SHOP": refused})
    found = list(outside.databases([job], secrets))
    assert sorted(finding.level for finding in found) == ["fail", "fail", "ok"]
    assert "planted-value" not in " ".join(map(line, found))
    assert not (tmp_path / "gone.db").exists(), "looking makes no file"


def test_a_port_that_is_taken_fails_unless_it_is_ours(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = settings(tmp_path, f"http: {{port: null}}\nmetrics: {{port: {taken.getsockname()[1]}}}\n")
        assert levels(machine.ports(found, at_work=False)) == [Level.FAIL]
        assert levels(machine.ports(found, at_work=True)) == []


@pytest.mark.parametrize("check", [machine.packages, machine.systemd, lambda: machine.time(None)])
def test_this_machine_can_be_looked_at(check: object) -> None:
    assert callable(check)
    assert list(check()) != []


def test_the_worst_finding_decides() -> None:
    assert worst([ok("a", ""), fail("b", "", ""), warn("c", "", "")]) is Level.FAIL
    assert worst([]) is Level.OK
    assert line(fail("store", "full", "free some")) == "fail  store     full -> free some"
