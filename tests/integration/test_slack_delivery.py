"""A report to Slack over real connections: every fault ends in one message, and nothing tells the token."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from atomic_tools import (
    CannotTell,
    DeniedError,
    Found,
    InvalidInputError,
    MisconfiguredError,
    NotFound,
    Partial,
    ToolError,
    TransientError,
    UnknownOutcomeError,
)
from atomic_tools.slack_send_message import Output
from daemon.testing.fake_slack import Channel, FakeSlack, Fault, Message
from tests.integration.slack_post import (
    KEY,
    PICTURE,
    ask,
    files,
    near,
    part_of,
    reports,
    request,
    send,
    to_the_end,
    with_files,
)

pytestmark = pytest.mark.slow
POST = "chat.postMessage"


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    with FakeSlack() as made:
        yield made


def only(slack: FakeSlack) -> Message:
    [message] = reports(slack)
    return message


def test_a_report_is_one_message_with_its_picture_in_it_and_its_file_in_the_thread(
    slack: FakeSlack, tmp_path: Path
) -> None:
    output = send(with_files(tmp_path), near(slack, tmp_path))
    message = only(slack)
    assert (output.state, output.reason, output.stamp) == ("delivered", "", message["ts"])
    assert output.channel == "C000000002"
    assert output.location == f"https://example.slack.com/archives/C000000002/p{output.stamp.replace('.', '')}"
    assert output.parts == ("message", "sales.png", "report.md")
    below = [each for each in slack.workspace.channels["C000000002"].messages if each.get("files")]
    assert [each["thread_ts"] for each in below] == [message["ts"]]
    assert [block["type"] for block in message["blocks"]] == ["header", "image", "section"]
    assert ask(with_files(tmp_path), near(slack, tmp_path)) == Found(output)


FAULTS = {
    "429 with a body": Fault.limited("1"),
    "CB-047 429 with an empty body": Fault.limited("1", body=False),
    "CB-047 503 with HTML, not done": Fault.html(503),
    "503 with HTML, done": Fault.html(503, done=True),
    "502": Fault.html(502, done=True),
    "CB-047 empty 200, not done": Fault.empty(),
    "empty 200, done": Fault.empty(done=True),
    "dropped before": Fault.dropped(done=False),
    "dropped after": Fault.dropped(done=True),
    "internal_error": Fault.refusal("internal_error"),
    "fatal_error, done": Fault(200, b'{"ok":false,"error":"fatal_error"}', done=True),
    "a list, done": Fault(200, b"[]", done=True),
    "an answer too deep to read, done": Fault(200, b"[" * 100_000, done=True),
    "an answer that is no text, done": Fault(200, b'{"ok":tr\xff', {"Content-Type": "application/gzip"}, done=True),
    "an answer without the message, done": Fault(200, b'{"ok":true}', done=True),
    "an answer without the message": Fault(200, b'{"ok":true}'),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_every_fault_of_the_post_ends_in_one_message(slack: FakeSlack, tmp_path: Path, fault: Fault) -> None:
    slack.faults[POST].append(fault)
    assert to_the_end(request(), slack, tmp_path).state == "delivered"
    only(slack)


def test_an_answer_that_comes_too_late_is_asked_about(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults[POST].append(Fault.late(5.0))
    with pytest.raises(UnknownOutcomeError):
        send(request(), near(slack, tmp_path, seconds=0.5))
    assert isinstance(ask(request(), near(slack, tmp_path)), Found)
    only(slack)


def test_one_attempt_is_one_post(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults[POST].append(Fault.dropped(done=True))
    with pytest.raises(UnknownOutcomeError):
        send(request(), near(slack, tmp_path))
    assert slack.counted(POST) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_its_target_never_gets_the_token(
    slack: FakeSlack, tmp_path: Path, status: int
) -> None:
    with FakeSlack() as elsewhere:
        slack.faults[POST].append(Fault(status, b"", {"Location": f"{elsewhere.url}{POST}"}))
        with pytest.raises(UnknownOutcomeError):
            send(request(), near(slack, tmp_path))
        assert elsewhere.calls == []


def test_where_nobody_listens_nothing_was_sent(slack: FakeSlack, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    secrets = {"slack_token": slack.token, "slack_api": f"http://127.0.0.1:{port}/api/"}
    nowhere = replace(near(slack, tmp_path), secrets=secrets)
    with pytest.raises(TransientError, match="not sent"):
        send(request(channel="C000000002"), nowhere)


@pytest.mark.parametrize(
    ("after", "seconds"), [("7", 7), ("7200", 900), ("abc", None), ("", None)], ids=lambda value: f"CB-047 {value}"
)
def test_retry_after_is_obeyed_and_bounded(slack: FakeSlack, tmp_path: Path, after: str, seconds: int | None) -> None:
    slack.faults[POST].append(Fault.limited(after, body=False))
    with pytest.raises(TransientError) as caught:
        send(request(), near(slack, tmp_path))
    assert caught.value.retry_after == (None if seconds is None else timedelta(seconds=seconds))
    assert slack.workspace.with_key(KEY) == []


@pytest.mark.parametrize("code", ["invalid_auth", "token_revoked", "missing_scope", "account_inactive"])
def test_a_refused_token_is_denied(slack: FakeSlack, tmp_path: Path, code: str) -> None:
    """CB-045"""
    slack.faults[POST].append(Fault.refusal(code))
    with pytest.raises(DeniedError, match=code):
        send(request(fallback_channel="#general"), near(slack, tmp_path))
    assert slack.counted(POST) == 1


@pytest.mark.parametrize("code", ["is_archived", "channel_not_found", "not_in_channel", "restricted_action"])
def test_a_channel_that_refuses_is_a_wrong_setting_unless_another_one_is_named(
    slack: FakeSlack, tmp_path: Path, code: str
) -> None:
    """CB-045"""
    slack.faults[POST].extend([Fault.refusal(code), Fault.refusal(code)])
    with pytest.raises(MisconfiguredError, match=code):
        send(request(), near(slack, tmp_path))
    output = send(request(fallback_channel="#data-ops"), near(slack, tmp_path))
    assert (output.state, output.channel) == ("degraded", "C000000003")
    assert "fallback channel" in output.reason
    assert ask(request(fallback_channel="#data-ops"), near(slack, tmp_path)) == Found(output)


@pytest.mark.parametrize("spelling", ["#sales", "sales", "C000000002", "<#C000000002|sales>"])
def test_every_spelling_ends_at_the_id(slack: FakeSlack, tmp_path: Path, spelling: str) -> None:
    """CB-045"""
    for number in range(450):
        slack.workspace.add(Channel(f"C1{number:08d}", f"other-{number}"))
    assert send(request(channel=spelling), near(slack, tmp_path)).channel == "C000000002"


class TestNames:
    """Looked up once an hour, for the whole workspace."""

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CLOCKWRIGHT_CACHE", str(tmp_path))

    def test_another_call_asks_no_more(self, slack: FakeSlack, tmp_path: Path) -> None:
        for number in range(3):
            send(request(), replace(near(slack, tmp_path), effect_key=f"key-{number}"))
        assert slack.counted("conversations.list") == 1
        assert not [path for path in tmp_path.iterdir() if slack.token.encode() in path.name.encode()]

    def test_a_channel_that_is_new_is_looked_up(self, slack: FakeSlack, tmp_path: Path) -> None:
        send(request(), near(slack, tmp_path))
        slack.workspace.add(Channel("C0000000NEW", "new"))
        assert send(request(channel="#new"), near(slack, tmp_path)).channel == "C0000000NEW"

    def test_a_name_that_means_another_channel_by_now_is_looked_up(self, slack: FakeSlack, tmp_path: Path) -> None:
        send(request(), near(slack, tmp_path))
        slack.workspace.channels.pop("C000000002")
        slack.workspace.add(Channel("C0000000NEW", "sales"))
        output = send(request(), replace(near(slack, tmp_path), effect_key="key-2"))
        assert (output.channel, output.state) == ("C0000000NEW", "delivered")

    @pytest.mark.parametrize("content", ["{", "[]", ""])
    def test_a_list_that_cannot_be_read_is_made_anew(self, slack: FakeSlack, tmp_path: Path, content: str) -> None:
        send(request(), near(slack, tmp_path))
        [kept] = tmp_path.glob("slack-channels-*.json")
        kept.write_text(content)
        assert send(request(), replace(near(slack, tmp_path), effect_key="key-2")).state == "delivered"


def test_an_unknown_channel_is_named_with_what_to_do(slack: FakeSlack, tmp_path: Path) -> None:
    with pytest.raises(MisconfiguredError, match="there is no channel #nowhere") as caught:
        send(request(channel="#nowhere"), near(slack, tmp_path))
    assert "invite the app" in str(caught.value.hint)
    assert slack.counted(POST) == 0


@pytest.mark.parametrize(("times", "form"), [(1, "plain text"), (2, "headline")])
def test_a_refused_payload_goes_down_the_ladder(slack: FakeSlack, tmp_path: Path, times: int, form: str) -> None:
    slack.faults[POST].extend([Fault.refusal("invalid_blocks")] * times)
    output = send(request(), near(slack, tmp_path))
    assert output.state == "degraded"
    assert form in output.reason
    assert output.parts == ("message", "message.md")
    assert ask(request(), near(slack, tmp_path)) == Found(output)
    assert slack.refused == []


def test_below_the_last_rung_the_input_is_what_is_wrong(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults[POST].extend([Fault.refusal("invalid_blocks")] * 3)
    with pytest.raises(InvalidInputError, match="invalid_blocks"):
        send(request(), near(slack, tmp_path))


class TestFiles:
    def test_only_what_is_missing_is_sent(self, slack: FakeSlack, tmp_path: Path) -> None:
        asked = with_files(tmp_path)
        send(request(), near(slack, tmp_path))
        assert ask(asked, near(slack, tmp_path)) == Partial(("message",))
        output = send(asked, near(slack, tmp_path, parts=("message",)))
        assert output.parts == ("message", "sales.png", "report.md")
        only(slack)
        send(asked, near(slack, tmp_path, parts=output.parts))
        assert files(slack) == ["sales.png", "report.md"]

    def test_a_share_that_comes_late_is_waited_for(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.share_after = 0.4
        assert send(with_files(tmp_path), near(slack, tmp_path)).state == "delivered"

    def test_a_share_that_never_comes_degrades(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.share_after = None
        output = send(with_files(tmp_path), near(slack, tmp_path, seconds=3.0))
        assert (output.state, output.parts) == ("degraded", ("message", "sales.png"))
        assert "report.md was taken, but its share was not seen" in output.reason
        only(slack)

    @pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
    @pytest.mark.parametrize("fault", [Fault.dropped(done=True), Fault.html(500, done=True)], ids=["drop", "500"])
    def test_an_upload_that_stumbles_arrives_once(
        self, slack: FakeSlack, tmp_path: Path, method: str, fault: Fault
    ) -> None:
        slack.faults[method].append(fault)
        assert send(with_files(tmp_path), near(slack, tmp_path)).state == "delivered"
        assert files(slack) == ["report.md"]
        assert part_of(only(slack)) == "message.pictured"

    def test_an_upload_waits_for_as_long_as_slack_asks_if_that_is_short(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults["files.getUploadURLExternal"].append(Fault.limited("1", body=False))
        assert part_of_sent(slack, tmp_path) == "message.pictured"

    def test_so_does_its_completion(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults["files.completeUploadExternal"].extend([Fault(done=True), Fault.limited("1")])
        assert send(with_files(tmp_path), near(slack, tmp_path)).state == "delivered"
        assert files(slack) == ["report.md"]

    def test_a_file_that_is_empty_over_there_was_not_delivered(self, slack: FakeSlack, tmp_path: Path) -> None:
        shares = {"public": {"C000000002": [{"ts": "1.1"}]}}
        found = {"ok": True, "file": {"size": 0, "mimetype": "text/plain", "shares": shares}}
        slack.faults["files.info"].extend([Fault(200, json.dumps(found).encode())] * 3)
        output = send(with_files(tmp_path), near(slack, tmp_path))
        assert f"sales.png was not taken: Slack has 0 of its {len(PICTURE)} bytes" in output.reason
        assert "report.md was not taken: Slack has 0 of its 7 bytes" in output.reason


def part_of_sent(slack: FakeSlack, folder: Path) -> str:
    """In which form a report with a picture arrived, and that a question about it says the same."""
    output = send(with_files(folder), near(slack, folder))
    assert ask(with_files(folder), near(slack, folder)) == Found(output)
    assert output.state == "delivered"
    return part_of(only(slack))


class TestPicture:
    def test_slack_may_take_a_while_to_look_at_it(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.look_after = 0.5
        assert part_of_sent(slack, tmp_path) == "message.pictured"

    def test_one_that_slack_is_not_done_with_goes_into_the_thread(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.look_after = None
        output = send(with_files(tmp_path), near(slack, tmp_path, seconds=4.0))
        assert (output.state, output.parts) == ("delivered", ("message", "sales.png", "report.md"))
        assert part_of(only(slack)) == "message"
        assert files(slack) == ["sales.png", "report.md"]
        assert ask(with_files(tmp_path), near(slack, tmp_path)) == Found(output)

    def test_one_that_cannot_be_shown_at_once_is_shown_a_second_later(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults[POST].append(Fault.refusal("invalid_blocks"))
        assert part_of_sent(slack, tmp_path) == "message.pictured"

    def test_one_that_cannot_be_shown_goes_into_the_thread(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults[POST].extend([Fault.refusal("invalid_blocks")] * 2)
        assert part_of_sent(slack, tmp_path) == "message"
        assert files(slack) == ["sales.png", "report.md"]

    @pytest.mark.parametrize(
        ("method", "code"),
        [
            ("files.getUploadURLExternal", "file_uploads_disabled"),
            ("files.getUploadURLExternal", "missing_scope"),
            ("files.completeUploadExternal", "channels_limit_exceeded"),
        ],
    )
    def test_one_that_goes_nowhere_is_told_in_words_and_as_a_table(
        self, slack: FakeSlack, tmp_path: Path, method: str, code: str
    ) -> None:
        slack.faults[method].extend([Fault.refusal(code)] * 2)
        asked = with_files(tmp_path, table="| Hour | Net |\n|--|--:|\n| 9 <!here> | €5.00 |")
        output = send(asked, near(slack, tmp_path))
        assert (output.state, output.parts) == ("degraded", ("message", "report.md"))
        assert "sales.png was not taken" in output.reason
        [words] = [each for _, each in slack.workspace.with_key(KEY) if part_of(each) == "picture.words"]
        note, table = (block["text"]["text"] for block in words["blocks"])
        assert note == "sales.png could not be delivered. What it shows: Bars"
        assert table == "```\nHour         Net\n9 &lt;!here&gt;  €5.00\n```"
        assert words["thread_ts"] == only(slack)["ts"]
        said = ask(asked, near(slack, tmp_path))
        assert isinstance(said, Found)
        assert said.output.model_dump()["state"] == "degraded"

    def test_a_second_attempt_repeats_neither_picture_nor_words(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults["files.getUploadURLExternal"].extend([Fault.refusal("file_uploads_disabled")] * 2)
        send(with_files(tmp_path), near(slack, tmp_path))
        send(with_files(tmp_path), near(slack, tmp_path, parts=("message", "sales.png", "report.md")))
        assert len(slack.workspace.with_key(KEY)) == 2


class TestLong:
    """A report of several messages is one effect."""

    MARKDOWN = "\n\n".join(f"Paragraph {number}: {'word ' * 80}" for number in range(90))

    def test_it_goes_on_in_the_thread_in_order(self, slack: FakeSlack, tmp_path: Path) -> None:
        output = send(request(markdown=self.MARKDOWN), near(slack, tmp_path))
        made = [message for _, message in slack.workspace.with_key(KEY)]
        assert output.parts == ("message", "part.2", "part.3", "part.4")
        assert [part_of(message) for message in made] == list(output.parts)
        assert [message.get("thread_ts") for message in made] == [None, *[made[0]["ts"]] * 3]
        notes = [message["blocks"][-1]["elements"][0]["text"] for message in made]
        assert notes == ["1 of 4; the rest is in the thread", "2 of 4", "3 of 4", "4 of 4"]
        shown = "".join(json.dumps(message["blocks"]) for message in made)
        at = [shown.index(f"Paragraph {number}:") for number in range(90)]
        assert at == sorted(at)
        assert ask(request(markdown=self.MARKDOWN), near(slack, tmp_path)) == Found(output)

    @pytest.mark.parametrize("fault", [Fault.limited("7"), Fault.dropped(done=False), Fault.dropped(done=True)])
    def test_what_breaks_off_in_the_middle_goes_on_there(self, slack: FakeSlack, tmp_path: Path, fault: Fault) -> None:
        slack.faults[POST].extend([Fault(done=True), Fault(done=True), fault])
        asked = request(markdown=self.MARKDOWN)
        with pytest.raises(UnknownOutcomeError) as caught:
            send(asked, near(slack, tmp_path))
        assert caught.value.retry_after == (timedelta(seconds=7) if fault.status == 429 else None)
        said = ask(asked, near(slack, tmp_path))
        assert said == Partial(("message", "part.2", *(["part.3"] if fault.done else [])))
        assert isinstance(said, Partial)
        output = send(asked, near(slack, tmp_path, parts=said.parts))
        assert [part_of(message) for _, message in slack.workspace.with_key(KEY)] == list(output.parts)

    def test_while_slack_is_away_what_is_there_is_never_called_not_sent(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults["conversations.history"].append(Fault.html())
        with pytest.raises(UnknownOutcomeError, match="some of it is there"):
            send(request(markdown=self.MARKDOWN), near(slack, tmp_path, parts=("message",)))

    def test_a_rest_that_is_refused_goes_along_as_a_file(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.faults[POST].extend([Fault(done=True), Fault(done=True), Fault.refusal("msg_blocks_too_long")])
        output = send(request(markdown=self.MARKDOWN), near(slack, tmp_path))
        assert output.state == "degraded"
        assert output.reason == "Slack refused the rest of the message; all of it is in its file"
        assert files(slack) == ["message.md"]


class TestCorrection:
    """A report that is sent again follows the first one up, and is no second report."""

    def corrected(self, slack: FakeSlack, folder: Path, **fields: object) -> tuple[Message, Output]:
        first = send(request(), near(slack, folder))
        asked = request(text="€6.00 net", corrects=first.model_dump(), **fields)
        again = replace(near(slack, folder), effect_key="key-2")
        output = send(asked, again)
        assert ask(asked, again) == Found(output)
        [(_, message)] = slack.workspace.with_key("key-2")
        return message, output

    def test_it_is_marked_and_goes_into_the_thread_and_the_channel_shows_it(
        self, slack: FakeSlack, tmp_path: Path
    ) -> None:
        message, output = self.corrected(slack, tmp_path)
        assert (output.state, output.channel) == ("delivered", "C000000002")
        assert (message["thread_ts"], message["reply_broadcast"]) == (only(slack)["ts"], True)
        assert message["text"] == "Correction of an earlier report: €6.00 net"
        assert message["blocks"][0]["elements"][0]["text"] == "Correction of an earlier report"

    def test_it_follows_a_report_that_went_to_the_fallback_channel(self, slack: FakeSlack, tmp_path: Path) -> None:
        first = send(request(channel="#data-ops"), near(slack, tmp_path))
        asked = request(corrects=first.model_dump(), fallback_channel="#data-ops")
        output = send(asked, replace(near(slack, tmp_path), effect_key="key-2"))
        assert (output.channel, output.state) == (first.channel, "delivered")

    def test_it_goes_into_the_channel_where_the_first_one_was_deleted(self, slack: FakeSlack, tmp_path: Path) -> None:
        gone = {**send(request(), near(slack, tmp_path)).model_dump(), "stamp": "1712345678.000100"}
        asked, again = request(corrects=gone), replace(near(slack, tmp_path), effect_key="key-2")
        output = send(asked, again)
        [(_, message)] = slack.workspace.with_key("key-2")
        assert "thread_ts" not in message
        assert output.state == "delivered"
        assert ask(asked, again) == Found(output)

    def test_what_lies_in_the_outbox_is_marked_only(self, slack: FakeSlack, tmp_path: Path) -> None:
        before = {**send(request(), near(slack, tmp_path)).model_dump(), "stamp": ""}
        send(request(corrects=before), replace(near(slack, tmp_path), effect_key="key-2"))
        [(_, message)] = slack.workspace.with_key("key-2")
        assert message["text"].startswith("Correction of an earlier report: ")


class TestReconcile:
    def test_it_reads_to_the_end(self, slack: FakeSlack, tmp_path: Path) -> None:
        output = send(request(), near(slack, tmp_path))
        channel = slack.workspace.channels["C000000002"]
        for number in range(450):
            slack.workspace.put(channel, {"text": str(number), "bot_id": "B0OTHER"})
        assert ask(request(), near(slack, tmp_path)) == Found(output)

    def test_a_message_of_three_weeks_ago_is_found_where_it_is_said_since_when(
        self, slack: FakeSlack, tmp_path: Path
    ) -> None:
        send(request(), near(slack, tmp_path))
        for channel in slack.workspace.channels.values():
            for message in channel.messages:
                message["ts"] = f"{float(message['ts']) - 21 * 86_400:.6f}"
        since = datetime.now(UTC) - timedelta(days=21)

        assert isinstance(ask(request(), replace(near(slack, tmp_path), since=since)), Found)

    def test_what_is_not_there_is_not_found(self, slack: FakeSlack, tmp_path: Path) -> None:
        assert ask(request(), near(slack, tmp_path)) == NotFound()

    def test_what_history_does_not_show_yet_is_not_found_and_later_is(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.lag = 60.0
        send(request(), near(slack, tmp_path))
        assert ask(request(), near(slack, tmp_path)) == NotFound()
        slack.workspace.now = lambda: time.time() + 61.0
        assert isinstance(ask(request(), near(slack, tmp_path)), Found)

    def test_without_the_scope_it_cannot_tell(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.tokens[slack.token] = ("chat:write", "channels:read", "groups:read")
        said = ask(request(), near(slack, tmp_path))
        assert isinstance(said, CannotTell)
        assert "channels:history" in said.reason

    def test_a_history_without_metadata_proves_nothing(self, slack: FakeSlack, tmp_path: Path) -> None:
        slack.workspace.shows_metadata = False
        send(request(), near(slack, tmp_path))
        assert ask(request(), near(slack, tmp_path)) == CannotTell(
            "Slack's history shows our messages without their metadata"
        )

    def test_whoever_is_not_told_who_we_are_proves_nothing(self, slack: FakeSlack, tmp_path: Path) -> None:
        send(request(), near(slack, tmp_path))
        slack.workspace.shows_metadata = False
        slack.faults["auth.test"].append(Fault(200, b'{"ok":true,"user":"somebody"}'))
        assert isinstance(ask(request(), near(slack, tmp_path)), CannotTell)

    @pytest.mark.parametrize("answer", [b"[]", b'{"ok":true}', b'{"ok":true,"messages":'])
    def test_an_answer_that_says_too_little_is_no_answer(self, slack: FakeSlack, tmp_path: Path, answer: bytes) -> None:
        slack.faults["conversations.history"].append(Fault(200, answer))
        with pytest.raises(TransientError):
            ask(request(), near(slack, tmp_path))

    def test_a_reply_is_looked_for_in_its_thread(self, slack: FakeSlack, tmp_path: Path) -> None:
        parent = slack.workspace.put(slack.workspace.channels["C000000002"], {"text": "parent", "bot_id": "B0OTHER"})[
            "ts"
        ]
        asked = request(thread=parent)
        assert ask(asked, near(slack, tmp_path)) == NotFound()
        output = send(asked, near(slack, tmp_path))
        assert ask(asked, near(slack, tmp_path)) == Found(output)


def test_a_dry_run_and_a_named_outbox_never_reach_slack(slack: FakeSlack, tmp_path: Path) -> None:
    send(request(outbox=str(tmp_path / "box")), near(slack, tmp_path))
    assert slack.calls == []


@pytest.mark.parametrize("fault", [*FAULTS.values(), Fault.refusal("invalid_auth")])
def test_no_failure_tells_the_token(slack: FakeSlack, tmp_path: Path, fault: Fault) -> None:
    slack.faults[POST].append(fault)
    try:
        said = repr(send(request(), near(slack, tmp_path)))
    except ToolError as error:
        said = f"{error.message} {error.hint} {error.__cause__!r}"
    assert slack.token not in said
    assert slack.token not in repr(near(slack, tmp_path))
