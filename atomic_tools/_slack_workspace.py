"""Slack as a destination: one post an attempt, simpler where the rich one is refused, files into its thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from atomic_tools._contract import CannotTell, NotFound, Partial, ToolError, TransientError, UnknownOutcomeError
from atomic_tools._delivery import Attachment, Delivery, Receipt
from atomic_tools._slack_channels import Channels
from atomic_tools._slack_client import Slack
from atomic_tools._slack_faults import DestinationError, PayloadError
from atomic_tools._slack_files import attach
from atomic_tools._slack_forms import MESSAGE, WHY
from atomic_tools._slack_history import Place, Post, files_below, find, oldest

PERMALINK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message goes: a channel by name or id, another one should that refuse, a thread in it."""

    channel: str
    fallback: str = ""
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """Names of the files that belong to the message, and of the one that must be there where it was simplified."""

    files: tuple[str, ...]
    whole: str

    def of(self, part: str) -> tuple[str, ...]:
        simplified = part in WHY and self.whole not in self.files
        return (*self.files, self.whole) if simplified else self.files


@dataclass(frozen=True, slots=True)
class Workspace:
    """`parts` names what Slack has of the effect already, `since` when it may have got the first of it."""

    slack: Slack
    target: Target
    expected: Expected
    parts: tuple[str, ...] = ()
    since: datetime | None = None
    names: Channels = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Channels(self.slack))

    def post(self, delivery: Delivery, may_send: Callable[[], None]) -> Receipt:
        """The message where it is not there yet, then each file that is missing."""
        post = self._there(delivery.key) if MESSAGE in self.parts else self._sent(delivery, may_send)
        attached = _files(delivery, post)
        troubles = {
            each.artifact.name: attach(self.slack, post, each)
            for each in attached
            if each.artifact.name not in self.parts
        }
        arrived = [each.artifact.name for each in attached if not troubles.get(each.artifact.name)]
        return self._receipt(delivery.key, post, arrived, [trouble for trouble in troubles.values() if trouble])

    def reconcile(self, key: str) -> Receipt | Partial | NotFound | CannotTell:
        """Whether the message and its files are there; nothing is called missing that was not looked for.

        Raises TransientError where Slack is away: that is no answer.
        """
        post = self._look(key)
        if not isinstance(post, Post):
            return post or NotFound()
        expected = self.expected.of(post.part)
        try:
            there = files_below(self.slack, post) if expected else frozenset()
        except TransientError:
            raise
        except ToolError as error:
            return CannotTell(error.message)
        arrived = [name for name in expected if name in there]
        return self._receipt(key, post, arrived, []) if len(arrived) == len(expected) else Partial((MESSAGE, *arrived))

    def _look(self, key: str) -> Post | CannotTell | None:
        """In the channel, and in the one that it may have gone to instead."""
        doubt: CannotTell | None = None
        for channel in filter(None, (self.target.channel, self.target.fallback)):
            found = self._look_in(channel, key)
            if isinstance(found, Post):
                return found
            doubt = doubt or found
        return doubt

    def _look_in(self, channel: str, key: str) -> Post | CannotTell | None:
        try:
            return find(self.slack, Place(self.names.id_of(channel), self._thread(channel), oldest(self.since)), key)
        except TransientError:
            raise
        except ToolError as error:
            return CannotTell(f"{error.message}; {error.hint}" if error.hint else error.message)

    def _there(self, key: str) -> Post:
        found = self._look(key)
        if isinstance(found, Post):
            return found
        why = found.reason if found else "it is gone"
        raise UnknownOutcomeError(f"the message was delivered, but cannot be found again: {why}")

    def _sent(self, delivery: Delivery, may_send: Callable[[], None]) -> Post:
        try:
            return self._simpler_and_simpler(delivery, self.target.channel, may_send)
        except DestinationError:
            if not self.target.fallback:
                raise
            return self._simpler_and_simpler(delivery, self.target.fallback, may_send)

    def _simpler_and_simpler(self, delivery: Delivery, channel: str, may_send: Callable[[], None]) -> Post:
        """A refused payload was certainly not posted, so the next form may follow at once."""
        send = partial(self._send, self.names.id_of(channel), self._thread(channel), may_send)
        *first, last = (delivery.payload, *delivery.simpler)
        for form in first:
            try:
                return send(form)
            except PayloadError:
                continue
        return send(last)

    def _send(self, channel: str, thread: str, may_send: Callable[[], None], form: Mapping[str, Any]) -> Post:
        below = {"thread_ts": thread} if thread else {}
        may_send()
        content = {name: value for name, value in form.items() if name != "thread_ts"}
        answer = self.slack.send("chat.postMessage", {**content, "channel": channel, **below})
        stamp = str(answer["ts"])
        return Post(str(answer["channel"]), stamp, thread or stamp, form["metadata"]["event_payload"]["part"])

    def _thread(self, channel: str) -> str:
        """A thread is one of the channel that was meant."""
        return self.target.thread if channel == self.target.channel else ""

    def _receipt(self, key: str, post: Post, files: Sequence[str], troubles: Sequence[str]) -> Receipt:
        reasons = [*filter(None, [self._elsewhere(post), WHY.get(post.part, "")]), *troubles]
        return Receipt(
            state="degraded" if reasons else "delivered",
            key=key,
            channel=post.channel,
            location=self._permalink(post),
            stamp=post.stamp,
            parts=(MESSAGE, *files),
            reason="; ".join(reasons)[:500],
        )

    def _elsewhere(self, post: Post) -> str:
        """Only where there is another channel is it looked at which one it was."""
        if not self.target.fallback:
            return ""
        try:
            meant = self.names.id_of(self.target.channel)
        except ToolError:
            meant = ""
        return (
            "" if post.channel == meant else f"{self.target.channel} did not take it; it went to the fallback channel"
        )

    def _permalink(self, post: Post) -> str:
        """Nice to have: a message that is there is never doubted for want of it."""
        asked = {"channel": post.channel, "message_ts": post.stamp}
        try:
            return str(self.slack.read("chat.getPermalink", asked, PERMALINK_SECONDS)["permalink"])
        except ToolError:
            return f"slack:{post.channel}/{post.stamp}"


def _files(delivery: Delivery, post: Post) -> list[Attachment]:
    """The whole text goes along where its form could not show it as it was meant."""
    attached = [*([delivery.picture] if delivery.picture else []), *delivery.documents]
    if post.part in WHY and delivery.whole is not None and not delivery.documents:
        attached.append(delivery.whole())
    return attached
