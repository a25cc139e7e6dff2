"""What is done to messages that Slack has already. Every call may be repeated, so none is asked about afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from atomic_tools._slack_codes import CREDENTIALS, NOT_SENT, PERHAPS, SLOW, known_shape, pause

from ...domain.errors import ClockwrightError, Kind
from ...domain.model import Failed, Json
from ...ports import Letter

if TYPE_CHECKING:
    from slack_sdk import WebClient

TIMEOUT_SECONDS = 10
RETRY_AFTER = 30.0
"""Where Slack names no time."""


class SlackPen:
    """`daemon.ports.Pen` on slack_sdk. `token` is read for each call, so that a rotated one takes effect."""

    def __init__(self, token: Callable[[], str], base_url: str) -> None:
        self._token = token
        self._base_url = base_url

    def edit(self, letter: Letter, stamp: str) -> Failed | None:
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": shown(letter.markdown), "verbatim": True}}]
        return self._call(
            "chat.update",
            {
                "channel": letter.channel,
                "ts": stamp,
                "text": escaped(letter.headline)[:3000],
                "blocks": blocks,
                "parse": "none",
                "link_names": False,
            },
        )

    def whisper(self, channel: str, user: str, text: str) -> Failed | None:
        told = {"channel": channel, "user": user, "text": escaped(text)[:3000], "parse": "none", "link_names": False}
        return self._call("chat.postEphemeral", told)

    def open(self, trigger: str, view: Json) -> Failed | None:
        return self._call("views.open", {"trigger_id": trigger, "view": view})

    def members(self, group: str) -> frozenset[str] | None:
        try:
            found = self._client().api_call("usergroups.users.list", params={"usergroup": group})
        except Exception:  # noqa: BLE001  # the client lets through whatever the network raises
            return None
        return frozenset(map(str, found.get("users") or ()))

    def ask(self, method: str, arguments: Json, *, as_json: bool = False) -> Any:
        """One request, and the answer with its headers. Raises what the client raises, which `fault` explains."""
        return self._client().api_call(method, **{"json" if as_json else "params": arguments})

    def _call(self, method: str, arguments: dict[str, Any]) -> Failed | None:
        try:
            self._client().api_call(method, json=arguments)
        except ClockwrightError as error:
            return Failed(Kind.MISCONFIGURED, str(error))
        except Exception as error:  # noqa: BLE001  # the client lets through whatever the network raises
            return fault(method, error)
        return None

    def _client(self) -> WebClient:
        from atomic_tools._slack_http import client  # noqa: PLC0415 - only who talks to Slack needs it

        return client(self._token(), self._base_url, TIMEOUT_SECONDS)


def fault(method: str, error: Exception) -> Failed:
    """By status, then the time that Slack asks for, then its code; never the text of an answer that is no JSON."""
    from slack_sdk.errors import SlackApiError  # noqa: PLC0415

    said = partial(Failed, hint=None)
    if not isinstance(error, SlackApiError):
        return said(Kind.TRANSIENT, f"{method}: {type(error).__name__}")
    status = getattr(error.response, "status_code", 200)
    code = known_shape(str(error.response.get("error")))
    if status == 429 or code in NOT_SENT | PERHAPS | SLOW:
        after = pause(getattr(error.response, "headers", {}))
        return said(Kind.TRANSIENT, f"{method}: {code or 'too many requests'}", retry_after=after or RETRY_AFTER)
    if status >= 500 or not code:
        return said(Kind.TRANSIENT, f"{method}: HTTP {status}")
    kind = Kind.DENIED if code in CREDENTIALS else Kind.MISCONFIGURED
    return said(kind, f"{method}: {code}")


def escaped(text: str) -> str:
    """Slack reads pings and links only between angle brackets, and we send none."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shown(markdown: str) -> str:
    """The little Markdown that alerts use, in Slack's dialect."""
    text = escaped(markdown.replace("**", "*"))
    for sign in "\\`*_[]|~":
        text = text.replace(f"\\{sign}", sign)
    return text.replace("\\&lt;", "&lt;").replace("\\&gt;", "&gt;").replace("\n- ", "\n• ")[:2900]
