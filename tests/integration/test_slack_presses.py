"""The stand-in's Socket Mode, heard by the daemon's own socket; and its part in questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from daemon.adapters.slack.pen import SlackPen
from daemon.adapters.slack.socket import SlackSocket
from daemon.ports import Letter, Notice
from daemon.testing.fake_slack import FakeSlack, Fault

pytestmark = pytest.mark.slow
PRESS = {
    "type": "block_actions",
    "user": {"id": "U0000000A", "username": "ada"},
    "channel": {"id": "C000000002"},
    "trigger_id": "t",
    "actions": [{"action_id": "clockwright.skip", "block_id": "b", "type": "button", "value": "{}"}],
}


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    with FakeSlack() as made:
        yield made


def until(done: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_press_arrives_also_after_an_address_was_refused(slack: FakeSlack) -> None:
    slack.faults["apps.connections.open"].append(Fault.html(503))
    taken: list[Any] = []
    notices: list[Notice] = []
    listening = SlackSocket(lambda: slack.app_token, slack.url, taken.append, notices.append)
    listening.start()
    try:
        until(lambda: listening.connected and bool(slack.sockets.lines))
        assert slack.sockets.press(PRESS) < 1.0
        until(lambda: bool(taken))
    finally:
        listening.stop()
    assert taken[0]["actions"][0]["action_id"] == "clockwright.skip"
    assert slack.app_token not in repr(notices)


def test_nobody_hears_a_press_without_a_connection(slack: FakeSlack) -> None:
    with pytest.raises(LookupError):
        slack.sockets.press(PRESS)


def test_the_bot_token_opens_no_socket(slack: FakeSlack) -> None:
    taken: list[Any] = []
    listening = SlackSocket(lambda: slack.token, slack.url, taken.append, lambda _: None)
    listening.look()
    assert not listening.connected
    assert ("apps.connections.open", "missing_scope") in slack.refused


def test_an_edit_a_whisper_a_view_and_a_group(slack: FakeSlack) -> None:
    pen = SlackPen(lambda: slack.token, slack.url)
    stamp = slack.workspace.put(slack.workspace.channels["C000000002"], {"text": "asked"})["ts"]
    assert pen.edit(Letter("C000000002", "decided", "**decided** by ada"), stamp) is None
    assert slack.workspace.channels["C000000002"].messages[0]["text"] == "decided"
    assert pen.whisper("C000000002", "U0000000A", "already decided") is None
    assert slack.workspace.whispers[0]["user"] == "U0000000A"
    assert pen.open("t", {"type": "modal"}) is None
    slack.workspace.groups["S0000000A"] = ["U0000000A"]
    assert pen.members("S0000000A") == {"U0000000A"}
    assert pen.members("S0000000B") == frozenset()
