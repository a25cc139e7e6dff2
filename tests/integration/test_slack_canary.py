"""`slack check` against the stand-in, through the command itself; and `slack simulate` in its own process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.adapters.slack import hearing
from daemon.adapters.slack.canary import Canary, Finding
from daemon.adapters.slack.pen import SlackPen
from daemon.cli.application import main
from daemon.testing.fake_slack import Channel, FakeSlack, Fault
from daemon.testing.fake_slack.workspace import APP_TOKEN

pytestmark = pytest.mark.slow


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    with FakeSlack() as made:
        yield made


def findings(slack: FakeSlack, channel: str = "#sales") -> list[Finding]:
    return list(Canary(SlackPen(lambda: slack.token, slack.url), lambda _: None).findings(channel))


def states(slack: FakeSlack, channel: str = "#sales") -> list[tuple[str, str]]:
    return [(found.state, found.about) for found in findings(slack, channel)]


def test_all_is_well_and_nothing_is_left_behind(slack: FakeSlack) -> None:
    assert states(slack) == [("ok", about) for about in ("token", "channel", "post", "metadata", "delete")]
    assert all(not channel.messages for channel in slack.workspace.channels.values())


def test_scopes_that_are_missing_are_named(slack: FakeSlack) -> None:
    slack.workspace.tokens[slack.token] = ("chat:write", "channels:read", "groups:read")
    said = [found.detail for found in findings(slack) if found.about == "scopes"]
    assert [detail.split(" is missing")[0] for detail in said] == ["channels:history", "files:write", "files:read"]
    assert ("fail", "metadata") in states(slack)
    assert all(not channel.messages for channel in slack.workspace.channels.values())


def test_a_history_without_metadata_fails(slack: FakeSlack) -> None:
    slack.workspace.shows_metadata = False
    assert ("fail", "metadata") in states(slack)


@pytest.mark.parametrize(
    "channel", [Channel("C0ARCHIVED", "old", archived=True), Channel("C0OUTSIDE0", "x", member=False)]
)
def test_a_channel_that_would_not_take_a_report_stops_the_check(slack: FakeSlack, channel: Channel) -> None:
    slack.workspace.add(channel)
    assert states(slack, channel.id)[-1] == ("fail", "channel")
    assert slack.counted("chat.postMessage") == 0


def test_a_message_that_cannot_be_deleted_is_a_warning(slack: FakeSlack) -> None:
    slack.faults["chat.delete"].append(Fault.refusal("cant_delete_message"))
    assert states(slack)[-1] == ("warn", "delete")


def configured(folder: Path, slack: FakeSlack, token: str) -> list[str]:
    (folder / "token").write_text(token)
    (folder / "app").write_text(slack.app_token)
    slack.workspace.groups["S0123ABCD"] = ["U0123ABCD"]
    (folder / "clockwright.yaml").write_text(
        "state: state\nsecrets: {bot: {file: token}, app: {file: app}}\n"
        f"slack: {{token: bot, app_token: app, groups: [S0123ABCD], api: '{slack.url}'}}\n"
    )
    return ["--config", str(folder), "slack", "check"]


def test_the_command_says_it_in_json_and_by_its_code(
    slack: FakeSlack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*configured(tmp_path, slack, slack.token), "#sales", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert [found["about"] for found in told["findings"]][-2:] == ["people", "socket"]
    assert main([*configured(tmp_path, slack, "xoxb-revoked"), "#sales"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("fail  token     auth.test: invalid_auth\n")


@pytest.mark.parametrize(
    ("scopes", "members", "app_token", "said"),
    [
        ((), ["U1"], "xapp-other", ["fail", "fail"]),
        (("usergroups:read",), [], APP_TOKEN, ["warn", "ok"]),
        (("usergroups:read",), ["U1"], APP_TOKEN, ["ok", "ok"]),
    ],
)
def test_who_could_answer_is_looked_at_as_well(
    slack: FakeSlack, scopes: tuple[str, ...], members: list[str], app_token: str, said: list[str]
) -> None:
    slack.workspace.tokens[slack.token] = ("chat:write", *scopes)
    slack.workspace.groups["S1"] = members
    [people] = hearing.groups(SlackPen(lambda: slack.token, slack.url), ["S1"])
    socket = hearing.socket(SlackPen(lambda: app_token, slack.url))
    assert [people.state, socket.state] == said
    assert app_token not in socket.detail


def test_without_a_token_it_says_what_to_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clockwright.yaml").write_text("state: state\n")
    assert main(["--config", str(tmp_path), "slack", "check"]) == 78
    assert "name its secret in slack.token" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_stand_in_serves_until_it_is_interrupted(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "daemon", "slack", "simulate"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        token = process.stdout.readline().split()[-1]
        assert list(Canary(SlackPen(lambda: token, url)).findings("#sales"))[-1].state == "ok"
        process.send_signal(ending)
        assert process.wait(10) == 0
