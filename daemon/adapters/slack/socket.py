"""Presses by Socket Mode: one connection, watched, and replaced whenever it may have gone deaf."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...domain.errors import ClockwrightError
from ...domain.model import Json
from ...domain.presses import CHANGE, PREFIX
from ...ports import Notice, Severity

if TYPE_CHECKING:
    from slack_bolt import App
    from slack_bolt.adapter.socket_mode import SocketModeHandler
    from slack_sdk import WebClient

PING_SECONDS = 5.0
DEAF_SECONDS = 20.0
"""Without a pong for this long, nobody is there."""
RENEW_SECONDS = 45.0
"""A connection that brought nothing for this long is replaced: it may answer pings and deliver nothing.

A press that is lost is so lost for less than a minute. Addresses may be asked for fifty times a minute.
"""
LOOK_SECONDS = 2.0
LONGEST_PAUSE = 60.0


class SlackSocket:
    """`app_token` and `bot_token` are read for each connection. `take` gets every press, on a thread of Bolt's."""

    def __init__(
        self,
        app_token: Callable[[], str],
        base_url: str,
        take: Callable[[Json], None],
        notice: Callable[[Notice], None],
        seconds: Callable[[], float] = time.monotonic,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._app_token = app_token
        self._base_url = base_url
        self._take = take
        self._notice = notice
        self._seconds = seconds
        self._ping_seconds = ping_seconds
        self._handler: SocketModeHandler | None = None
        self._fresh_at = 0.0
        self._pong: float | None = None
        self._pong_at = 0.0
        """When the last answer to a ping was first seen, by our own clock."""
        self._failures = 0
        self._up: bool | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def connected(self) -> bool:
        """For a gauge: whether presses can be heard now, as far as anybody can know."""
        return self._handler is not None and not self._deaf()

    def start(self) -> None:
        """Connect, and keep connected, on a thread of its own. Returns at once."""
        self._thread = threading.Thread(target=self._attend, name="slack socket", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(5.0)
        self._close()

    def look(self) -> float:
        """Connect, or connect anew, where that is due; seconds until the next look."""
        if self._handler is None:
            return self._connect()
        if self._deaf():
            self._say(up=False, message="Slack's socket went deaf; connecting anew")
            return self._connect()
        if self._seconds() - self._fresh_at >= RENEW_SECONDS:
            return self._connect()
        return LOOK_SECONDS

    def _attend(self) -> None:
        while not self._stopped.wait(self.look()):
            pass

    def _connect(self) -> float:
        try:
            fresh = self._made()
            fresh.connect()  # type: ignore[no-untyped-call]
        except Exception as error:  # noqa: BLE001  # whatever the network or Slack says, it is tried again
            return self._failed(error)
        self._close()  # the one before, only now, so that no press falls between the two
        self._handler = fresh
        self._say(up=True, message="Slack's socket is connected")
        self._failures, self._pong = 0, None
        self._fresh_at = self._pong_at = self._seconds()
        return LOOK_SECONDS

    def _failed(self, error: Exception) -> float:
        """The text of an error may hold the address, which is a secret for as long as it lives."""
        self._failures += 1
        why = str(error) if isinstance(error, ClockwrightError) else type(error).__name__
        if not self.connected:  # else the one that was to be replaced still answers
            self._say(up=False, message=f"Slack's socket cannot be connected: {why}")
        return min(2.0**self._failures, LONGEST_PAUSE)

    def _say(self, *, up: bool, message: str) -> None:
        """Once for each change, for whoever watches a gauge."""
        if self._up is not up:
            self._up = up
            topic, severity = ("slack_socket_up", Severity.INFO) if up else ("slack_socket_down", Severity.WARNING)
            self._notice(Notice(topic, message, severity))

    def _deaf(self) -> bool:
        client: Any = self._handler.client if self._handler else None
        session = getattr(client, "current_session", None)
        if session is None or not client.is_connected():
            return True
        if session.last_ping_pong_time != self._pong:
            self._pong, self._pong_at = session.last_ping_pong_time, self._seconds()
        return self._seconds() - self._pong_at >= DEAF_SECONDS

    def _close(self) -> None:
        """In the background: the library waits for threads of its own that sleep for seconds."""
        handler, self._handler = self._handler, None
        if handler is not None:
            threading.Thread(target=_end, args=(handler,), name="slack socket ends", daemon=True).start()

    def _made(self) -> SocketModeHandler:
        from slack_bolt.adapter.socket_mode import SocketModeHandler  # noqa: PLC0415 - only who listens needs Bolt

        from atomic_tools._slack_http import client as straight  # noqa: PLC0415

        quiet = logging.getLogger("slack_bolt.quiet")
        quiet.setLevel(logging.CRITICAL)
        # Every connection asks for a fresh address: an old one is refused for ever.
        client = straight(None, self._base_url, 10)
        app = self._app(client, quiet)
        made = SocketModeHandler(
            app, self._app_token(), logger=quiet, web_client=client, ping_interval=self._ping_seconds
        )
        made.client.auto_reconnect_enabled = False  # ours notices more, and closes the old one first
        return made

    def _app(self, client: WebClient, quiet: logging.Logger) -> App:
        from slack_bolt import App  # noqa: PLC0415
        from slack_bolt.authorization import AuthorizeResult  # noqa: PLC0415

        # Without a lookup of its own: a press is acknowledged before anything else is asked of Slack.
        app = App(
            logger=quiet,
            client=client,
            authorize=lambda: AuthorizeResult(enterprise_id=None, team_id=None, bot_token="unused"),  # noqa: S106
        )
        app.action(re.compile(re.escape(PREFIX)))(self._heard)
        app.view(PREFIX + CHANGE)(self._heard)
        return app

    def _heard(self, ack: Callable[[], object], body: Json) -> None:
        ack()
        self._fresh_at = self._seconds()
        self._take(body)


def _end(handler: SocketModeHandler) -> None:
    with suppress(Exception):
        handler.close()  # type: ignore[no-untyped-call]
