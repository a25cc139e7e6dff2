"""Deliver a message with its chart and report to a Slack channel; without a token, to the local outbox."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from atomic_tools import (
    Artifact,
    Effect,
    Found,
    InvalidInputError,
    Reconciled,
    ToolContext,
    ToolInput,
    ToolOutput,
    TransientError,
    tool,
)
from atomic_tools._delivery import Attachment, Delivery, Destination, Receipt, Way
from atomic_tools._outbox import Outbox
from atomic_tools._slack_actions import Button, blocks_below
from atomic_tools._slack_blocks import Body, body, payload, remark
from atomic_tools._slack_forms import PART, Expected, further, simpler, wordy
from atomic_tools._slack_limits import faults

_CHANNEL = r"^(#?[^\s#@<>&,|]+|<#[A-Z0-9]{6,}\|[^\s<>|]*>)$"
_WHOLE = "message.md"
_CORRECTION = "Correction of an earlier report"


def _absolute(path: str) -> str:
    folder = Path(path).expanduser()
    if not folder.is_absolute():
        raise ValueError(f"outbox {path!r} must be an absolute path: a tool runs in a folder of its own")
    return str(folder)


class Output(ToolOutput):
    """Where the message is now."""

    state: Literal["delivered", "degraded"]
    channel: str
    location: str
    """Where a person can look at it: a path or a permalink."""
    key: str
    stamp: str = ""
    """Slack's own timestamp of the message, by which it is answered and edited."""
    parts: tuple[str, ...]
    """What arrived: the message, and the names of its files."""
    reason: str = ""
    """What is missing or different, where the delivery is degraded."""

    def summary(self) -> str:
        """State, channel, number of files, and what is missing."""
        why = f": {self.reason}" if self.reason else ""
        messages = 1 + sum(part.startswith(PART) for part in self.parts)
        several = f" in {messages} messages" if messages > 1 else ""
        return f"{self.state} to {self.channel}{several} with {len(self.parts) - messages} files{why}"[:200]


class Input(ToolInput):
    """What to say, and where."""

    channel: str = Field(pattern=_CHANNEL, max_length=100)
    """A channel's id, or its name with or without #."""
    fallback_channel: Annotated[str, Field(pattern=_CHANNEL, max_length=100)] | None = None
    """Where the message goes when the channel does not take it: it is gone, archived, or without the app."""
    text: str = Field(min_length=1)
    """The headline: what a notification shows. Plain text."""
    markdown: str = ""
    """The message itself, Markdown."""
    chart: Artifact | None = None
    """The picture that goes with the message."""
    alt_text: str | None = None
    """The chart in words."""
    table: str | None = None
    """The chart's figures as a Markdown table, for where the picture cannot be delivered."""
    report: Artifact | None = None
    """The whole report, put beside the message."""
    mentions: tuple[Annotated[str, Field(pattern=r"^[UWS][A-Z0-9]{7,20}$")], ...] = Field(default=(), max_length=20)
    """Slack's ids of the people and groups who are called for."""
    thread: str = Field(default="", pattern=r"^(\d{1,12}\.\d{1,8})?$")
    """Timestamp of the message that this one goes below."""
    corrects: Output | None = None
    """What an earlier delivery left: this one is a marked correction in its thread, which the channel shows too."""
    buttons: tuple[Button, ...] = Field(default=(), max_length=25)
    """What a reader may press; a press comes back to the daemon."""
    outbox: Annotated[str, AfterValidator(_absolute)] | None = None
    """A folder, absolute or below ~, that takes the message instead of Slack."""


def _reconcile(request: Input, context: ToolContext) -> Reconciled:
    """Whether the destination has the message under the context's effect key."""
    found = _destination(request, context).reconcile(_key(context))
    return Found(_output(found)) if isinstance(found, Receipt) else found


@tool(
    effect=Effect.EXTERNAL,
    destination=("channel",),
    pace=timedelta(seconds=1),
    reconcile=_reconcile,
    optional_secrets=("slack_token", "slack_api"),
)
def slack_send_message(request: Input, context: ToolContext) -> Output:
    """Deliver one message at most once under its effect key."""
    _in_time(context)
    delivery = _delivery(request, context)
    return _output(_destination(request, context).post(delivery, lambda: _in_time(context)))


def _destination(request: Input, context: ToolContext) -> Destination:
    if context.secrets.get("slack_token") and not request.outbox and not context.dry_run:
        return _workspace(request, context)
    folder = Path(request.outbox) if request.outbox else context.outbox
    if folder is None:
        raise InvalidInputError("there is no outbox: give `outbox`, or configure one")
    return Outbox(folder / "dry-run" if context.dry_run else folder)


def _workspace(request: Input, context: ToolContext) -> Destination:
    """Only who posts to Slack loads its client."""
    from atomic_tools._slack_client import API, Slack  # noqa: PLC0415
    from atomic_tools._slack_workspace import Workspace  # noqa: PLC0415

    slack = Slack(context.secrets["slack_token"], lambda: -context.late(), context.secrets.get("slack_api") or API)
    return Workspace(slack, tuple(_ways(request)), _expected(request), context.parts, context.since)


def _ways(request: Input) -> Iterator[Way]:
    """Where the message goes, and where else it goes when that takes none."""
    if before := _corrected(request):
        yield Way(before.channel, before.stamp, broadcast=True)
    yield Way(_channel(request.channel), request.thread)
    if request.fallback_channel:
        yield Way(_channel(request.fallback_channel), instead=True)


def _corrected(request: Input) -> Output | None:
    """The message that is followed up; none where it lies in the outbox."""
    return request.corrects if request.corrects and request.corrects.stamp and not request.thread else None


def _expected(request: Input) -> Expected:
    made = _body(request)
    return Expected(
        picture=request.chart.name if request.chart else "",
        documents=(_whole_name(request),) if request.report or made.shortened else (),
        whole=_whole_name(request),
        further=tuple(f"{PART}{number}" for number in range(2, len(made.pages) + 1)),
    )


def _whole_name(request: Input) -> str:
    return request.report.name if request.report else _WHOLE


def _body(request: Input) -> Body:
    ending = f"… shortened; all of it is in {_whole_name(request)}"
    below = list(blocks_below(request.mentions, request.buttons))
    return body(request.markdown or request.text, ending, request.alt_text or "", below)


def _delivery(request: Input, context: ToolContext) -> Delivery:
    made, channel, key = _body(request), _channel(request.channel), _key(context)
    below = list(blocks_below(request.mentions, request.buttons))
    mark = [remark(_CORRECTION)] if request.corrects else []
    text = f"{_CORRECTION}: {request.text}" if request.corrects else request.text
    message = payload(channel, text, (*mark, *made.pages[0]), key)
    rest = further(channel, request.text, made.pages[1:], key)
    if request.thread:
        message["thread_ts"] = request.thread
    if broken := [fault for each in (message, *rest) for fault in faults(each)]:
        raise InvalidInputError(f"Slack would refuse this message: {'; '.join(broken)}")
    return Delivery(
        key=key,
        payload=message,
        picture=_attachment(request.chart, context),
        alt_text=(request.alt_text or ""),
        documents=_documents(request, context, shortened=made.shortened),
        simpler=simpler(channel, text, request.markdown or request.text, below, key),
        whole=lambda: _whole(request, context),
        further=rest,
        words=_words(request, channel, key),
    )


def _words(request: Input, channel: str, key: str) -> dict[str, Any] | None:
    chart = request.chart
    return wordy(channel, chart.name, request.alt_text or "", request.table or "", key) if chart else None


def _documents(request: Input, context: ToolContext, *, shortened: bool) -> list[Attachment]:
    """The report; without one, the message itself where not all of it could be shown."""
    if report := _attachment(request.report, context):
        return [report]
    if not shortened:
        return []
    return [_whole(request, context)]


def _whole(request: Input, context: ToolContext) -> Attachment:
    kept = context.save(_WHOLE, (request.markdown or request.text).encode(errors="replace"), "text/markdown")
    return Attachment(kept, context.new_file(_WHOLE))


def _attachment(artifact: Artifact | None, context: ToolContext) -> Attachment | None:
    if artifact is None:
        return None
    path = context.path(artifact)
    if not path.is_file():
        raise InvalidInputError(f"{artifact.name} was named but its file is not there")
    return Attachment(artifact, path)


def _channel(name: str) -> str:
    """A pasted `<#C0123|sales>` as its id; anything else as it is."""
    return name[2:].split("|", maxsplit=1)[0] if name.startswith("<#") else name


def _key(context: ToolContext) -> str:
    if context.effect_key is None:
        raise InvalidInputError(
            "a message needs an effect key: without one a repeat could not be told from a new message"
        )
    return context.effect_key


def _in_time(context: ToolContext) -> None:
    if (late := context.late()) >= 0:
        raise TransientError(f"not sent: the deadline had passed {late:.1f} s before")


def _output(receipt: Receipt) -> Output:
    return Output.model_validate(receipt.model_dump())
