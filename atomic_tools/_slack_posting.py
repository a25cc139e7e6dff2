"""One message into a channel or a thread, in the richest form that Slack takes, and what goes on below it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from atomic_tools._contract import ToolError, UnknownOutcomeError
from atomic_tools._slack_blocks import with_picture
from atomic_tools._slack_client import Slack
from atomic_tools._slack_faults import PayloadError
from atomic_tools._slack_forms import PICTURED
from atomic_tools._slack_history import Post

POST = "chat.postMessage"
_ANOTHER_LOOK = 1.0
"""Seconds after which a picture that Slack has just taken in can be shown, where it could not be at first."""
Form = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A way into one channel, or one thread of it. `may_send` comes right before each request, and raises when late."""

    slack: Slack
    channel: str
    thread: str
    may_send: Callable[[], None]
    broadcast: bool = False
    """Whether the channel shows what goes into the thread."""

    def say(self, form: Form) -> Post:
        """Raises ToolError."""
        below = {"thread_ts": self.thread, "reply_broadcast": self.broadcast} if self.thread else {}
        self.may_send()
        content = {name: value for name, value in form.items() if name != "thread_ts"}
        answer = self.slack.send(POST, {**content, "channel": self.channel, **below})
        stamp = str(answer["ts"])
        return Post(str(answer["channel"]), stamp, self.thread or stamp, form["metadata"]["event_payload"]["part"])

    def say_first(self, forms: Iterable[Form]) -> Post:
        """A refused form was certainly not posted, so the next one may follow at once."""
        *richer, last = forms
        for form in richer:
            try:
                return self.say(form)
            except PayloadError:
                if form["metadata"]["event_payload"]["part"] == PICTURED:
                    time.sleep(_ANOTHER_LOOK)
        return self.say(last)


def pictured(form: Form, file_id: str, alt_text: str) -> Form:
    """The form with an uploaded picture in it, and known by that."""
    payload = {**form["metadata"]["event_payload"], "part": PICTURED}
    blocks = with_picture(form["blocks"], file_id, alt_text)
    return {**form, "blocks": blocks, "metadata": {**form["metadata"], "event_payload": payload}}


def in_doubt(error: ToolError) -> ToolError:
    """Some of the effect is there already: what comes next is to look how much."""
    if isinstance(error, UnknownOutcomeError):
        return error
    return UnknownOutcomeError(f"some of it is there: {error.message}", hint=error.hint, retry_after=error.retry_after)
