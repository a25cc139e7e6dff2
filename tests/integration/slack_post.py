"""A report on its way to the stand-in: what is sent, and the policy's way with an attempt's end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from atomic_tools import (
    Found,
    InvalidInputError,
    NotFound,
    Partial,
    Reconciled,
    ToolContext,
    TransientError,
    UnknownOutcomeError,
)
from atomic_tools.slack_send_message import Input, Output, slack_send_message
from daemon.testing.fake_slack import FakeSlack, Message
from tests.unit.tools.sales_samples import as_input, context

KEY = "key-1"
PICTURE = b"\x89PNG\r\n\x1a\nnot really"


def request(**fields: object) -> Input:
    return Input.model_validate(
        {"channel": "#sales", "text": "€5.00 net", "markdown": "# Sales\n\n**€5.00**", **fields}
    )


def with_files(folder: Path, **fields: object) -> Input:
    here = context(folder)
    chart = as_input(folder, here.save("sales.png", PICTURE, "image/png"))
    report = as_input(folder, here.save("report.md", b"# whole", "text/markdown"))
    return request(chart=chart, report=report, alt_text="Bars", **fields)


def near(slack: FakeSlack, folder: Path, seconds: float = 20.0, parts: tuple[str, ...] = ()) -> ToolContext:
    secrets = {"slack_token": slack.token, "slack_api": slack.url}
    return replace(context(folder, KEY, timedelta(seconds=seconds)), secrets=secrets, parts=parts)


def send(asked: Input, at: ToolContext) -> Output:
    output = slack_send_message(asked, at)
    assert isinstance(output, Output)
    return output


def ask(asked: Input, at: ToolContext) -> Reconciled:
    assert slack_send_message.reconcile is not None
    return slack_send_message.reconcile(asked, at)


def part_of(message: Message) -> str:
    return str(message["metadata"]["event_payload"]["part"])


def reports(slack: FakeSlack) -> list[Message]:
    """The messages of the report, without what goes on below them."""
    found = [message for _, message in slack.workspace.with_key(KEY)]
    return [message for message in found if part_of(message).startswith("message")]


def files(slack: FakeSlack) -> list[str]:
    """Names of what was shared."""
    channels = slack.workspace.channels.values()
    return [file["name"] for each in channels for message in each.messages for file in message.get("files", [])]


def to_the_end(asked: Input, slack: FakeSlack, folder: Path, tries: int = 4) -> Output:
    """As the policy does: wait and send again what was not sent, ask first where it may have been."""
    doubt, parts = False, ()  # type: tuple[bool, tuple[str, ...]]
    for _ in range(tries):
        if doubt:
            said = ask(asked, near(slack, folder))
            if isinstance(said, Found):
                assert isinstance(said.output, Output)
                return said.output
            assert isinstance(said, NotFound | Partial), said
            parts = said.parts if isinstance(said, Partial) else ()
        try:
            return send(asked, near(slack, folder, parts=parts))
        except TransientError:
            doubt = False
        except UnknownOutcomeError:
            doubt = True
        except InvalidInputError:
            raise
    raise AssertionError("it was not delivered")
