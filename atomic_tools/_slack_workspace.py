"""Slack as a destination: a message once, simpler where the rich one is refused, and the rest of it in its thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from atomic_tools._contract import CannotTell, NotFound, Partial, ToolError, TransientError, UnknownOutcomeError
from atomic_tools._delivery import Attachment, Delivery, Receipt, Way
from atomic_tools._slack_channels import Channels
from atomic_tools._slack_client import Slack
from atomic_tools._slack_faults import DestinationError, PayloadError, ThreadGoneError
from atomic_tools._slack_files import attach, shown
from atomic_tools._slack_forms import MESSAGE, PICTURED, WHY, WORDS, Expected
from atomic_tools._slack_history import Place, Post, below, find, oldest
from atomic_tools._slack_posting import Form, Line, in_doubt, pictured

PERMALINK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Workspace:
    """`ways` come one after the other, each where the one before takes nothing.

    `parts` names what Slack has of the effect already, `since` when it may have got the first of it.
    """

    slack: Slack
    ways: tuple[Way, ...]
    expected: Expected
    parts: tuple[str, ...] = ()
    since: datetime | None = None
    names: Channels = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Channels(self.slack))

    def post(self, delivery: Delivery, may_send: Callable[[], None]) -> Receipt:
        """The message where it is not there yet, what goes on below it, then each file: only what is missing."""
        if MESSAGE not in self.parts:
            post = self._sent(delivery, may_send)
            return self._completed(delivery, post, may_send)
        try:
            return self._completed(delivery, self._there(delivery.key), may_send)
        except ToolError as error:
            raise in_doubt(error) from None

    def _completed(self, delivery: Delivery, post: Post, may_send: Callable[[], None]) -> Receipt:
        below = Line(self.slack, post.channel, post.thread, may_send)
        troubles = [] if post.part in WHY else list(self._gone_on(below, delivery))
        attached = _files(delivery, post, whole=bool(troubles))
        missing = [each for each in attached if each.artifact.name not in self.parts]
        lost = {each.artifact.name: trouble for each in missing if (trouble := attach(self.slack, post, each))}
        if delivery.picture and delivery.picture.artifact.name in lost and delivery.words and WORDS not in self.parts:
            with suppress(ToolError):  # what is missing is said in the receipt as well
                below.say(delivery.words)
        arrived = [each.artifact.name for each in attached if each.artifact.name not in lost]
        inside = [delivery.picture.artifact.name] if delivery.picture and post.part == PICTURED else []
        further = [] if troubles or post.part in WHY else list(self.expected.further)
        return self._receipt(delivery.key, post, (*further, *inside, *arrived), [*troubles, *lost.values()])

    def _gone_on(self, below: Line, delivery: Delivery) -> Iterator[str]:
        """Why the rest of a long message is not there, where Slack refuses it. Raises UnknownOutcomeError."""
        for form in delivery.further:
            if form["metadata"]["event_payload"]["part"] in self.parts:
                continue
            try:
                below.say(form)
            except PayloadError:
                yield "Slack refused the rest of the message; all of it is in its file"
                return
            except ToolError as error:
                raise in_doubt(error) from None

    def reconcile(self, key: str) -> Receipt | Partial | NotFound | CannotTell:
        """Whether the message and its files are there; nothing is called missing that was not looked for.

        Raises TransientError where Slack is away: that is no answer.
        """
        post = self._look(key)
        if not isinstance(post, Post):
            return post or NotFound()
        expected = self.expected.of(post.part)
        try:
            there = below(self.slack, post, key) if expected else frozenset()
        except TransientError:
            raise
        except ToolError as error:
            return CannotTell(error.message)
        arrived = [name for name in expected if name in there or (name == self.expected.picture and WORDS in there)]
        if len(arrived) < len(expected):
            return Partial((MESSAGE, *arrived))
        lost = [f"{self.expected.picture} could not be delivered"] if WORDS in there else []
        return self._receipt(key, post, self._in_order(post, arrived), lost)

    def _in_order(self, post: Post, arrived: Sequence[str]) -> list[str]:
        """A picture in the message stands where one below it would."""
        inside = [self.expected.picture] if post.part == PICTURED else []
        further = [name for name in arrived if name in self.expected.further]
        return [*further, *inside, *(name for name in arrived if name not in further)]

    def _look(self, key: str) -> Post | CannotTell | None:
        """Wherever it may have gone."""
        doubt: CannotTell | None = None
        for way in self.ways:
            found = self._look_in(way, key)
            if isinstance(found, Post):
                return found
            doubt = doubt or found
        return doubt

    def _look_in(self, way: Way, key: str) -> Post | CannotTell | None:
        try:
            return find(self.slack, Place(self.names.id_of(way.channel), way.thread, oldest(self.since)), key)
        except TransientError:
            raise
        except ThreadGoneError:
            return None
        except ToolError as error:
            return CannotTell(f"{error.message}; {error.hint}" if error.hint else error.message)

    def _there(self, key: str) -> Post:
        found = self._look(key)
        if isinstance(found, Post):
            return found
        why = found.reason if found else "it is gone"
        raise UnknownOutcomeError(f"the message was delivered, but cannot be found again: {why}")

    def _sent(self, delivery: Delivery, may_send: Callable[[], None]) -> Post:
        *first, last = self.ways
        for way in first:
            try:
                return self._taken(delivery, way, may_send)
            except DestinationError:
                continue
        return self._taken(delivery, last, may_send)

    def _taken(self, delivery: Delivery, way: Way, may_send: Callable[[], None]) -> Post:
        line = Line(self.slack, self.names.id_of(way.channel), way.thread, may_send, way.broadcast)
        return line.say_first([*self._pictured(delivery), delivery.payload, *delivery.simpler])

    def _pictured(self, delivery: Delivery) -> list[Form]:
        """The message with its picture in it, twice, for where Slack needs a moment; none where that cannot be."""
        if delivery.picture is None:
            return []
        try:
            file_id = shown(self.slack, delivery.picture)
        except ToolError:
            return []  # it is tried once more, into the thread
        return [pictured(delivery.payload, file_id, delivery.alt_text)] * 2

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
        if not any(way.instead for way in self.ways):
            return ""
        meant = [way.channel for way in self.ways if not way.instead]
        if post.channel in map(self._id, meant):
            return ""
        return f"{meant[-1]} did not take it; it went to the fallback channel"

    def _id(self, channel: str) -> str:
        try:
            return self.names.id_of(channel)
        except ToolError:
            return ""

    def _permalink(self, post: Post) -> str:
        """Nice to have: a message that is there is never doubted for want of it."""
        asked = {"channel": post.channel, "message_ts": post.stamp}
        try:
            return str(self.slack.read("chat.getPermalink", asked, PERMALINK_SECONDS)["permalink"])
        except ToolError:
            return f"slack:{post.channel}/{post.stamp}"


def _files(delivery: Delivery, post: Post, *, whole: bool) -> list[Attachment]:
    """The whole text goes along where its form could not show it as it was meant."""
    below = delivery.picture if post.part != PICTURED else None
    attached = [*([below] if below else []), *delivery.documents]
    if (whole or post.part in WHY) and delivery.whole is not None and not delivery.documents:
        attached.append(delivery.whole())
    return attached
