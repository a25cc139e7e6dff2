"""Answers in Slack over real connections on loopback: the pen, the socket, and a deaf line that is noticed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from daemon.adapters.slack.pen import SlackPen
from daemon.adapters.slack.socket import DEAF_SECONDS, RENEW_SECONDS, SlackSocket
from daemon.domain.errors import Kind
from daemon.ports import Letter, Notice
from tests.integration.slack_stand_in import StandIn

pytestmark = pytest.mark.slow
TOKEN = "xoxb-0000-test-only"
APP_TOKEN = "xapp-0000-test-only"
PRESS = {
    "type": "block_actions",
    "user": {"id": "U0000000A", "username": "ada"},
    "channel": {"id": "C1"},
    "trigger_id": "t",
    "actions": [{"action_id": "clockwright.skip", "block_id": "b", "type": "button", "value": "{}"}],
}


@pytest.fixture
def slack() -> Iterator[StandIn]:
    made = StandIn()
    yield made
    made.close()


def until(done: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


class TestPen:
    def test_an_edit_replaces_the_text_and_drops_the_buttons(self, slack: StandIn) -> None:
        pen = SlackPen(lambda: TOKEN, slack.url)
        text = "**retry, by ada**\n\n- Job: daily\\_sales \\<!channel\\> & more"
        assert pen.edit(Letter("C1", "retry <!here>", text), "1.5") is None
        [(method, sent, token)] = slack.calls
        assert (method, token) == ("chat.update", f"Bearer {TOKEN}")
        assert (sent["channel"], sent["ts"], sent["text"]) == ("C1", "1.5", "retry &lt;!here&gt;")
        [block] = sent["blocks"]
        assert block["text"]["text"] == "*retry, by ada*\n\n• Job: daily_sales &lt;!channel&gt; &amp; more"

    def test_a_whisper_is_for_one_pair_of_eyes(self, slack: StandIn) -> None:
        assert SlackPen(lambda: TOKEN, slack.url).whisper("C1", "U1", "already decided") is None
        [(method, sent, _)] = slack.calls
        assert (method, sent["channel"], sent["user"]) == ("chat.postEphemeral", "C1", "U1")

    @pytest.mark.parametrize(
        ("answer", "kind", "after"),
        [
            ((429, {"Retry-After": "7"}, b""), Kind.TRANSIENT, 7.0),
            ((200, {"Retry-After": "7"}, b'{"ok": false, "error": "ratelimited"}'), Kind.TRANSIENT, 7.0),
            ((503, {}, b"<html>down</html>"), Kind.TRANSIENT, None),
            ((200, {}, b""), Kind.TRANSIENT, None),
            ((200, {}, b'{"ok": false, "error": "invalid_auth"}'), Kind.DENIED, None),
            ((200, {}, b'{"ok": false, "error": "message_not_found"}'), Kind.MISCONFIGURED, None),
        ],
    )
    def test_a_refusal_is_classed_by_status_then_time_then_code(
        self, slack: StandIn, answer: Any, kind: Kind, after: float | None
    ) -> None:
        slack.answers["chat.update"] = answer
        failed = SlackPen(lambda: TOKEN, slack.url).edit(Letter("C1", "x", "x"), "1.5")
        assert failed is not None
        assert (failed.kind, failed.retry_after) == (kind, after)
        assert TOKEN not in repr(failed)
        assert len(slack.calls) == 1

    def test_nobody_there_is_transient_and_names_no_token(self, slack: StandIn) -> None:
        slack.close()
        failed = SlackPen(lambda: TOKEN, slack.url).whisper("C1", "U1", "x")
        assert failed is not None
        assert failed.kind is Kind.TRANSIENT
        assert TOKEN not in repr(failed)

    def test_the_members_of_a_group(self, slack: StandIn) -> None:
        slack.answers["usergroups.users.list"] = (200, {}, b'{"ok": true, "users": ["U1", "U2"]}')
        assert SlackPen(lambda: TOKEN, slack.url).members("S1") == frozenset({"U1", "U2"})
        slack.answers["usergroups.users.list"] = (200, {}, b'{"ok": false, "error": "missing_scope"}')
        assert SlackPen(lambda: TOKEN, slack.url).members("S1") == frozenset()


class Listening:
    def __init__(self, slack: StandIn) -> None:
        self.taken: list[Any] = []
        self.notices: list[Notice] = []
        self.skipped = 0.0
        self.socket = SlackSocket(
            lambda: APP_TOKEN,
            slack.url,
            self.taken.append,
            self.notices.append,
            lambda: time.monotonic() + self.skipped,
        )


@pytest.fixture
def listening(slack: StandIn) -> Iterator[Listening]:
    made = Listening(slack)
    yield made
    made.socket.stop()


class TestSocket:
    def test_a_press_is_acknowledged_in_under_a_second_and_taken(self, slack: StandIn, listening: Listening) -> None:
        listening.socket.start()
        until(lambda: listening.socket.connected and bool(slack.sockets))
        assert slack.press(PRESS) < 1.0
        until(lambda: bool(listening.taken))
        assert listening.taken[0]["actions"][0]["action_id"] == "clockwright.skip"
        assert slack.methods() == ["apps.connections.open"]

    def test_presses_that_come_at_once_do_not_wait_for_each_other(self, slack: StandIn, listening: Listening) -> None:
        listening.socket.start()
        until(lambda: listening.socket.connected and bool(slack.sockets))
        begun = time.monotonic()
        for _ in range(50):
            slack.press(PRESS)
        assert time.monotonic() - begun < 10.0
        until(lambda: len(listening.taken) == 50)

    def test_a_line_that_drops_is_replaced_with_a_fresh_address(self, slack: StandIn, listening: Listening) -> None:
        listening.socket.look()
        until(lambda: bool(slack.sockets))
        slack.sockets[0].close()
        assert listening.socket.connected
        listening.skipped = DEAF_SECONDS
        assert not listening.socket.connected
        listening.socket.look()
        assert listening.socket.connected
        until(lambda: len(slack.sockets) == 2)
        assert slack.methods() == ["apps.connections.open"] * 2
        assert slack.press(PRESS) < 1.0

    def test_one_that_delivers_nothing_is_replaced_before_long(self, slack: StandIn, listening: Listening) -> None:
        listening.socket.look()
        listening.skipped = RENEW_SECONDS
        listening.socket.look()
        until(lambda: len(slack.sockets) == 2)
        until(lambda: not slack.sockets[0].open)
        assert slack.press(PRESS) < 1.0

    def test_one_that_does_not_answer_pings_is_deaf(self, slack: StandIn, listening: Listening) -> None:
        slack.deaf = True
        listening.socket.look()
        listening.skipped = DEAF_SECONDS
        assert not listening.socket.connected
        slack.deaf = False
        listening.socket.look()
        until(lambda: len(slack.sockets) == 2)
        topics = [notice.topic for notice in listening.notices]
        assert topics == ["slack_socket_up", "slack_socket_down", "slack_socket_up"]
        assert slack.press(PRESS) < 1.0

    def test_slack_that_cannot_be_reached_is_tried_later_and_later_and_said_once(
        self, slack: StandIn, listening: Listening
    ) -> None:
        slack.answers["apps.connections.open"] = (200, {}, b'{"ok": false, "error": "invalid_auth"}')
        assert [listening.socket.look() for _ in range(3)] == [2.0, 4.0, 8.0]
        assert len(listening.notices) == 1
        assert APP_TOKEN not in repr(listening.notices)
        del slack.answers["apps.connections.open"]
        listening.socket.look()
        assert listening.socket.connected
