"""Answers in Slack over real connections on loopback: the pen, the socket, and a deaf line that is noticed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from daemon.adapters.slack.pen import SlackPen
from daemon.adapters.slack.socket import DEAF_SECONDS, LOOK_SECONDS, RENEW_SECONDS, SlackSocket
from daemon.domain.errors import Kind
from daemon.ports import Letter, Notice
from daemon.testing.fake_slack import FakeSlack, Fault
from daemon.testing.fake_slack.workspace import APP_TOKEN, TOKEN

pytestmark = pytest.mark.slow
SALES = "C000000002"
PRESS = {
    "type": "block_actions",
    "user": {"id": "U0000000A", "username": "ada"},
    "channel": {"id": "C1"},
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


class TestPen:
    def test_an_edit_replaces_the_text_and_drops_the_buttons(self, slack: FakeSlack) -> None:
        pen = SlackPen(lambda: TOKEN, slack.url)
        text = "**retry, by ada**\n\n- Job: daily\\_sales \\<!channel\\> & more"
        message = slack.workspace.put(slack.workspace.channels[SALES], {"text": "asked"})
        assert pen.edit(Letter(SALES, "retry <!here>", text), message["ts"]) is None
        assert message["text"] == "retry &lt;!here&gt;"
        [block] = message["blocks"]
        assert block["text"]["text"] == "*retry, by ada*\n\n• Job: daily_sales &lt;!channel&gt; &amp; more"

    def test_a_whisper_is_for_one_pair_of_eyes(self, slack: FakeSlack) -> None:
        assert SlackPen(lambda: TOKEN, slack.url).whisper(SALES, "U1", "already decided") is None
        [sent] = slack.workspace.whispers
        assert (sent["channel"], sent["user"]) == (SALES, "U1")

    def test_a_form_is_opened_for_who_pressed(self, slack: FakeSlack) -> None:
        assert SlackPen(lambda: TOKEN, slack.url).open("t", {"type": "modal"}) is None
        assert slack.workspace.views[0]["view"] == {"type": "modal"}

    @pytest.mark.parametrize(
        ("answer", "kind", "after"),
        [
            (Fault.limited("7", body=False), Kind.TRANSIENT, 7.0),
            (replace(Fault.limited("7"), status=200), Kind.TRANSIENT, 7.0),
            (Fault.html(), Kind.TRANSIENT, None),
            (Fault.empty(), Kind.TRANSIENT, None),
            (Fault.dropped(done=False), Kind.TRANSIENT, None),
            (Fault.refusal("invalid_auth"), Kind.DENIED, None),
            (Fault.refusal("message_not_found"), Kind.MISCONFIGURED, None),
        ],
    )
    def test_a_refusal_is_classed_by_status_then_time_then_code(
        self, slack: FakeSlack, answer: Fault, kind: Kind, after: float | None
    ) -> None:
        slack.faults["chat.update"].append(answer)
        failed = SlackPen(lambda: TOKEN, slack.url).edit(Letter(SALES, "x", "x"), "1.5")
        assert failed is not None
        assert (failed.kind, failed.retry_after) == (kind, after)
        assert TOKEN not in repr(failed)
        assert len(slack.calls) == 1

    def test_nobody_there_is_transient_and_names_no_token(self, slack: FakeSlack) -> None:
        slack.faults["chat.postEphemeral"].append(Fault.dropped(done=False))
        failed = SlackPen(lambda: TOKEN, slack.url).whisper(SALES, "U1", "x")
        assert failed is not None
        assert failed.kind is Kind.TRANSIENT
        assert TOKEN not in repr(failed)

    def test_the_members_of_a_group(self, slack: FakeSlack) -> None:
        slack.workspace.groups["S1"] = ["U1", "U2"]
        assert SlackPen(lambda: TOKEN, slack.url).members("S1") == frozenset({"U1", "U2"})
        assert SlackPen(lambda: TOKEN, slack.url).members("S2") is None


class Listening:
    """A socket whose time is skipped; it pings ten times a second, so that it hears pongs meanwhile."""

    def __init__(self, slack: FakeSlack) -> None:
        self.taken: list[Any] = []
        self.notices: list[Notice] = []
        self.skipped = 0.0
        self.socket = SlackSocket(
            lambda: APP_TOKEN,
            slack.url,
            self.taken.append,
            self.notices.append,
            lambda: time.monotonic() + self.skipped,
            ping_seconds=0.1,
        )

    def skip(self, seconds: float) -> None:
        """In steps between which a pong comes in."""
        until = self.skipped + seconds
        while self.skipped < until:
            time.sleep(0.3)
            assert self.socket.connected, "it answers pings"
            self.skipped = min(self.skipped + DEAF_SECONDS * 0.75, until)


@pytest.fixture
def listening(slack: FakeSlack) -> Iterator[Listening]:
    made = Listening(slack)
    yield made
    made.socket.stop()


class TestSocket:
    def test_a_press_is_acknowledged_in_under_a_second_and_taken(self, slack: FakeSlack, listening: Listening) -> None:
        listening.socket.start()
        until(lambda: listening.socket.connected and bool(slack.sockets.lines))
        assert slack.sockets.press(PRESS) < 1.0
        until(lambda: bool(listening.taken))
        assert listening.taken[0]["actions"][0]["action_id"] == "clockwright.skip"
        assert [method for method, _ in slack.calls] == ["apps.connections.open"]

    def test_presses_that_come_at_once_do_not_wait_for_each_other(self, slack: FakeSlack, listening: Listening) -> None:
        listening.socket.start()
        until(lambda: listening.socket.connected and bool(slack.sockets.lines))
        begun = time.monotonic()
        for _ in range(50):
            slack.sockets.press(PRESS)
        assert time.monotonic() - begun < 10.0
        until(lambda: len(listening.taken) == 50)

    def test_a_line_that_drops_is_replaced_with_a_fresh_address(self, slack: FakeSlack, listening: Listening) -> None:
        listening.socket.look()
        until(lambda: bool(slack.sockets.lines))
        slack.sockets.lines[0].close()
        assert listening.socket.connected
        listening.skipped = DEAF_SECONDS
        assert not listening.socket.connected
        listening.socket.look()
        assert listening.socket.connected
        until(lambda: len(slack.sockets.lines) == 2)
        assert slack.counted("apps.connections.open") == 2
        assert slack.sockets.press(PRESS) < 1.0

    def test_one_that_delivers_nothing_is_replaced_before_long(self, slack: FakeSlack, listening: Listening) -> None:
        listening.socket.look()
        until(lambda: bool(slack.sockets.lines))
        slack.sockets.mute()
        listening.skip(RENEW_SECONDS)
        assert RENEW_SECONDS + LOOK_SECONDS < 60.0
        listening.socket.look()
        until(lambda: len(slack.sockets.lines) == 2)
        until(lambda: not slack.sockets.lines[0].open)
        assert [notice.topic for notice in listening.notices] == ["slack_socket_up"]
        assert slack.sockets.press(PRESS) < 1.0

    def test_one_that_does_not_answer_pings_is_deaf(self, slack: FakeSlack, listening: Listening) -> None:
        slack.sockets.deaf = True
        listening.socket.look()
        listening.skipped = DEAF_SECONDS
        assert not listening.socket.connected
        slack.sockets.deaf = False
        listening.socket.look()
        until(lambda: len(slack.sockets.lines) == 2)
        topics = [notice.topic for notice in listening.notices]
        assert topics == ["slack_socket_up", "slack_socket_down", "slack_socket_up"]
        assert slack.sockets.press(PRESS) < 1.0

    def test_slack_that_cannot_be_reached_is_tried_later_and_later_and_said_once(
        self, slack: FakeSlack, listening: Listening
    ) -> None:
        slack.faults["apps.connections.open"].extend([Fault.refusal("invalid_auth")] * 3)
        assert [listening.socket.look() for _ in range(3)] == [2.0, 4.0, 8.0]
        assert len(listening.notices) == 1
        assert APP_TOKEN not in repr(listening.notices)
        listening.socket.look()
        assert listening.socket.connected

    def test_an_address_that_is_refused_leaves_the_line_that_works(
        self, slack: FakeSlack, listening: Listening
    ) -> None:
        listening.socket.look()
        until(lambda: bool(slack.sockets.lines))
        slack.faults["apps.connections.open"].append(Fault.html())
        listening.skip(RENEW_SECONDS)
        listening.socket.look()
        assert slack.counted("apps.connections.open") == 2
        assert listening.socket.connected
        assert [notice.topic for notice in listening.notices] == ["slack_socket_up"]

    def test_the_bot_token_opens_no_socket(self, slack: FakeSlack) -> None:
        listening = SlackSocket(lambda: TOKEN, slack.url, lambda _: None, lambda _: None)
        listening.look()
        assert not listening.connected
        assert ("apps.connections.open", "missing_scope") in slack.refused

    def test_nobody_hears_a_press_without_a_connection(self, slack: FakeSlack) -> None:
        with pytest.raises(LookupError):
            slack.sockets.press(PRESS)
