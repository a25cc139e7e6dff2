"""The daemon's own messages to people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..domain.model import Failed, Json, Reconciled
from ..domain.presses import Button
from ..domain.severity import Severity


@dataclass(frozen=True, slots=True)
class Letter:
    """One message of the daemon's own for Slack. `thread` is the stamp of the message that it goes below."""

    channel: str
    headline: str
    markdown: str
    mentions: tuple[str, ...] = ()
    thread: str = ""
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class LetterReceipt:
    """A letter that is there: where, as Slack names it, and for people."""

    channel: str
    stamp: str
    link: str


class Courier(Protocol):
    """Delivers letters to Slack, each effect key at most once. Both calls wait for the outcome."""

    def post(self, letter: Letter, key: str, until: datetime) -> LetterReceipt | Failed:
        """Nothing is sent after `until`."""
        ...

    def ask(self, letter: Letter, key: str) -> LetterReceipt | Reconciled | Failed:
        """Whether Slack has the letter under that key."""
        ...


class Pen(Protocol):
    """What is done to a message that Slack has already, and for one pair of eyes. Each may be repeated."""

    def edit(self, letter: Letter, stamp: str) -> Failed | None:
        """Put the letter in the place of the message with that stamp."""
        ...

    def whisper(self, channel: str, user: str, text: str) -> Failed | None:
        """Say something in the channel that only this user sees."""
        ...

    def open(self, trigger: str, view: Json) -> Failed | None:
        """Show a form to whoever pressed."""
        ...

    def members(self, group: str) -> frozenset[str] | None:
        """Ids of the users in a group; None where Slack does not say."""
        ...


class SecondChannel(Protocol):
    """Another way to people, for when Slack is down, or is what is wrong."""

    def send(self, title: str, text: str, severity: Severity) -> str:
        """Why it could not be sent; empty where it was."""
        ...
