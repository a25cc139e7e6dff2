"""The second channel: Apprise, which reaches mail, webhooks, DingTalk, Teams, PagerDuty and a hundred more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..domain.errors import ClockwrightError
from ..ports import Severity

TYPES = {Severity.INFO: "info", Severity.WARNING: "warning", Severity.CRITICAL: "failure"}


class AppriseChannel:
    """`daemon.ports.SecondChannel`. `names` are secrets whose values are Apprise's addresses.

    They are read when they are needed, and are never part of what is said.
    """

    def __init__(self, names: Callable[[], Sequence[str]], secret: Callable[[str], str]) -> None:
        self._names = names
        self._secret = secret

    def send(self, title: str, text: str, severity: Severity) -> str:
        refused = list(self._refusals(title, text, severity))
        # Whoever was reached can act; who was not is told about only where nobody was.
        return "; ".join(refused) if len(refused) == len(self._names()) else ""

    def _refusals(self, title: str, text: str, severity: Severity) -> Iterator[str]:
        for name in self._names():
            if why := self._refusal(name, title, text, severity):
                yield f"{name}: {why}"

    def _refusal(self, name: str, title: str, text: str, severity: Severity) -> str:
        try:
            plugin = address(self._secret(name))
        except ClockwrightError as error:
            return str(error)
        if plugin is None:
            return "its value is no address that Apprise knows"
        try:
            sent = plugin.notify(body=text, title=title, notify_type=TYPES[severity], body_format="markdown")
        except Exception as error:  # noqa: BLE001  # a plugin may raise whatever its library does
            return type(error).__name__
        return "" if sent else "it was not taken"


def address(url: str) -> Any:
    """The receiver behind one address; None where there is none."""
    from apprise import Apprise  # noqa: PLC0415 - only who has something to tell needs it

    receiver = Apprise()
    return receiver if receiver.add(url) else None
