"""Delivery into the outbox: once for each key, whole or not at all, and it can be asked afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from atomic_tools import (
    CannotTell,
    DeniedError,
    Effect,
    Found,
    InvalidInputError,
    MisconfiguredError,
    NotFound,
    Reconciled,
    ToolContext,
    TransientError,
)
from atomic_tools._outbox import Outbox
from atomic_tools.slack_send_message import Input, Output, slack_send_message
from tests.unit.tools.sales_samples import PING_NAMES, as_input, context

PICTURE = b"\x89PNG\r\n\x1a\nnot really"


def request(folder: Path, **fields: object) -> Input:
    given = {"channel": "#sales", "text": "€5.00 net sales", "markdown": "# Sales\n\n**€5.00**", **fields}
    return Input.model_validate({"outbox": str(folder / "outbox"), **given})


def send(folder: Path, asked: Input | None = None, with_context: ToolContext | None = None) -> Output:
    output = slack_send_message(asked or request(folder), with_context or context(folder))
    assert isinstance(output, Output)
    return output


def reconcile(folder: Path, key: str = "key-1") -> Reconciled:
    assert slack_send_message.reconcile is not None
    return slack_send_message.reconcile(request(folder), context(folder, key))


def stored(folder: Path, key: str = "key-1") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "outbox" / key / "message.json").read_text())
    return found


def with_files(folder: Path) -> Input:
    here = context(folder)
    chart = as_input(folder, here.save("sales.png", PICTURE, "image/png"))
    report = as_input(folder, here.save("report.md", b"# whole", "text/markdown"))
    return request(folder, chart=chart, report=report, alt_text="Bars <!here>")


def test_the_outbox_holds_the_payload_the_files_and_a_page(tmp_path: Path) -> None:
    output = send(tmp_path, with_files(tmp_path))
    folder = tmp_path / "outbox" / "key-1"
    assert output.parts == ("message", "sales.png", "report.md")
    assert output.location == str(folder / "index.html")
    assert (folder / "files" / "sales.png").read_bytes() == PICTURE
    assert output.summary() == "delivered to #sales with 2 files"


def test_the_payload_is_what_slack_would_get(tmp_path: Path) -> None:
    send(tmp_path, with_files(tmp_path))
    payload = stored(tmp_path)
    assert [block["type"] for block in payload["blocks"]] == ["header", "image", "section"]
    assert payload["metadata"]["event_payload"] == {"key": "key-1", "part": "message"}
    assert payload["blocks"][1]["alt_text"] == "Bars &lt;!here&gt;"


def test_the_page_shows_data_as_text(tmp_path: Path) -> None:
    send(tmp_path, request(tmp_path, text="<script>alert(1)</script>", markdown="a <img src=x> **b** *c*"))
    page = (tmp_path / "outbox" / "key-1" / "index.html").read_text()
    assert "<script>" not in page
    assert "&lt;img src=x&gt; <strong>b</strong> <em>c</em>" in page


@pytest.mark.parametrize("name", PING_NAMES, ids=lambda name: f"CB-043 {name}")
def test_no_stored_payload_holds_a_live_mention(tmp_path: Path, name: str) -> None:
    send(tmp_path, request(tmp_path, text=name, markdown=name, alt_text=name))
    assert "<" not in json.dumps(stored(tmp_path))


def test_a_second_delivery_under_the_key_is_adopted_and_changes_nothing(tmp_path: Path) -> None:
    first = send(tmp_path)
    again = send(tmp_path, request(tmp_path, text="another text"))
    assert again == first
    assert stored(tmp_path)["text"] == "€5.00 net sales"


def test_two_deliveries_at_once_leave_one_message(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(lambda _: send(tmp_path), range(16)))
    assert len(set(outputs)) == 1
    assert [path.name for path in (tmp_path / "outbox").iterdir()] == ["key-1"]


def test_the_outbox_says_what_it_has(tmp_path: Path) -> None:
    assert reconcile(tmp_path) == NotFound()
    output = send(tmp_path)
    assert reconcile(tmp_path) == Found(output)
    assert reconcile(tmp_path, "key-2") == NotFound()


def test_a_receipt_that_cannot_be_read_proves_nothing(tmp_path: Path) -> None:
    send(tmp_path)
    (tmp_path / "outbox" / "key-1" / "receipt.json").write_text("{")
    assert reconcile(tmp_path) == CannotTell("the receipt of key-1 cannot be read")
    with pytest.raises(MisconfiguredError, match="not a whole message"):
        send(tmp_path)


def test_past_its_deadline_nothing_is_sent_and_that_is_certain(tmp_path: Path) -> None:
    with pytest.raises(TransientError, match="not sent: the deadline had passed"):
        send(tmp_path, with_context=context(tmp_path, left=timedelta(seconds=-1)))
    assert reconcile(tmp_path) == NotFound()


def test_a_deadline_that_passes_while_writing_still_prevents_the_delivery(tmp_path: Path) -> None:
    from atomic_tools._delivery import Delivery

    def too_late() -> None:
        raise TransientError("not sent")

    delivery = Delivery("key-1", {"channel": "#sales", "text": "x", "blocks": []}, None, "", [])
    with pytest.raises(TransientError):
        Outbox(tmp_path / "outbox").post(delivery, too_late)
    assert list((tmp_path / "outbox").iterdir()) == []


def test_what_a_crash_left_behind_is_no_delivery_and_blocks_none(tmp_path: Path) -> None:
    left = tmp_path / "outbox" / ".unfinished-abc"
    left.mkdir(parents=True)
    (left / "message.json").write_text("{")
    os.utime(left, (0, 0))
    assert reconcile(tmp_path) == NotFound()
    send(tmp_path)
    assert not left.exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from atomic_tools._delivery import Delivery
from atomic_tools._outbox import Outbox
delivery = Delivery("key-1", {"channel": "#sales", "text": "x", "blocks": []}, None, "", [])
Outbox(Path(sys.argv[1])).post(delivery, lambda: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.slow
def test_a_process_killed_before_the_rename_has_delivered_nothing(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "outbox")], check=False)
    assert killed.returncode == -9
    assert reconcile(tmp_path) == NotFound()
    assert Found(send(tmp_path)) == reconcile(tmp_path)


def test_a_report_too_long_for_a_message_goes_along_as_a_file(tmp_path: Path) -> None:
    """CB-041."""
    output = send(tmp_path, request(tmp_path, markdown="word " * 40_000))
    folder = tmp_path / "outbox" / "key-1"
    last = json.loads((folder / "part.6.json").read_text())
    assert last["blocks"][-1]["elements"][0]["text"] == "… shortened; all of it is in message.md"
    assert (folder / "files" / "message.md").read_text() == "word " * 40_000
    assert output.parts == ("message", *(f"part.{number}" for number in range(2, 7)), "message.md")
    assert output.summary() == "delivered to #sales in 6 messages with 1 files"


@pytest.mark.parametrize("channel", ["#sales-daily", "sales-daily", "C0123ABCD", "D0123ABCD", "<#C0123ABCD|sales>"])
def test_every_spelling_of_a_channel_is_taken(tmp_path: Path, channel: str) -> None:
    assert send(tmp_path, request(tmp_path, channel=channel)).channel in {channel, "C0123ABCD"}


@pytest.mark.parametrize("channel", ["", "two words", "<!here>", "@somebody", "#a,#b"])
def test_what_cannot_be_a_channel_is_refused(tmp_path: Path, channel: str) -> None:
    with pytest.raises(ValidationError):
        request(tmp_path, channel=channel)


def test_a_relative_outbox_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="must be an absolute path"):
        request(tmp_path, outbox="outbox")


def test_without_an_effect_key_nothing_is_sent(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="needs an effect key"):
        send(tmp_path, with_context=context(tmp_path, key=None))


@pytest.mark.parametrize("key", ["../x", "", ".hidden", "a/b"])
def test_a_key_cannot_lead_out_of_the_outbox(tmp_path: Path, key: str) -> None:
    with pytest.raises(MisconfiguredError, match="cannot name a message"):
        send(tmp_path, with_context=context(tmp_path, key))


def test_an_artifact_whose_file_is_gone_is_named(tmp_path: Path) -> None:
    asked = with_files(tmp_path)
    assert asked.chart is not None
    context(tmp_path).path(asked.chart).unlink()
    with pytest.raises(InvalidInputError, match=r"sales\.png was named but its file is not there"):
        send(tmp_path, asked)


def test_an_outbox_that_is_a_file_is_a_wrong_setting(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("")
    with pytest.raises(MisconfiguredError, match="is not a folder"):
        send(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_outbox_that_may_not_be_written_is_denied(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir(mode=0o500)
    with pytest.raises(DeniedError, match="cannot be written"):
        send(tmp_path)


def test_the_tool_declares_what_it_does_to_the_world() -> None:
    assert slack_send_message.effect is Effect.EXTERNAL
    assert slack_send_message.destination == ("channel",)


def test_a_wall_clock_that_is_set_back_does_not_open_a_deadline_again(tmp_path: Path) -> None:
    second_ago = time.clock_gettime(time.CLOCK_BOOTTIME) - 1.0

    with pytest.raises(TransientError, match="not sent: the deadline had passed"):
        send(tmp_path, with_context=replace(context(tmp_path), expires=second_ago))


def test_people_are_called_for_by_their_ids_alone(tmp_path: Path) -> None:
    send(tmp_path, request(tmp_path, mentions=["U0123ABCD", "S0123ABCD"]))
    assert stored(tmp_path)["blocks"][-1]["text"]["text"] == "<@U0123ABCD> <!subteam^S0123ABCD>"


@pytest.mark.parametrize("bad", ["!channel", "U01<>", "here", "u0123abcd"])
def test_nobody_else_is(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValidationError):
        request(tmp_path, mentions=[bad])


def test_buttons_come_last_and_carry_their_value(tmp_path: Path) -> None:
    asked = {"label": "Abort", "action": "a", "value": "{}", "style": "danger", "confirm": "It ends <here>."}
    send(tmp_path, request(tmp_path, buttons=[asked, {"label": "Open", "action": "b", "url": "https://example.com/1"}]))
    [abort, opens] = stored(tmp_path)["blocks"][-1]["elements"]
    assert (abort["action_id"], abort["value"], abort["style"]) == ("a", "{}", "danger")
    assert abort["confirm"]["text"]["text"] == "It ends &lt;here&gt;."
    assert "value" not in opens
    assert opens["url"] == "https://example.com/1"
    assert "Buttons: Abort · Open" in (tmp_path / "outbox" / "key-1" / "index.html").read_text()


def test_a_message_can_go_below_another(tmp_path: Path) -> None:
    send(tmp_path, request(tmp_path, thread="1712345678.000100"))
    assert stored(tmp_path)["thread_ts"] == "1712345678.000100"
