"""Tells open pages that something has happened. What it was they ask for themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

from ..domain.events import Event
from ..domain.model import Run
from ..ports import Notice

MOST_LISTENERS = 100
PAUSE_SECONDS = 0.3
QUIET_SECONDS = 15.0
"""After which a line is sent all the same, so that a connection that has gone is noticed."""


@dataclass(eq=False)
class Listener:
    """One open page; `run` narrows what it wants to hear of."""

    run: str
    loop: asyncio.AbstractEventLoop
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self) -> None:
        with suppress(RuntimeError):  # the server is closing
            self.loop.call_soon_threadsafe(self.news.set)


class Crowded(Exception):
    """More pages listen than this daemon will serve."""


class Live:
    """An EventSink; many events in a short time are one piece of news."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    def emit(self, run: Run, event: Event) -> None:  # noqa: ARG002 - the port's signature
        for listener in tuple(self._listeners):
            if listener.run in {"", run.id}:
                listener.hear()

    def notice(self, notice: Notice) -> None:  # noqa: ARG002 - the port's signature
        for listener in tuple(self._listeners):
            listener.hear()

    def listen(self, run: str) -> Listener:
        """On the server's loop. Raises Crowded."""
        if len(self._listeners) >= MOST_LISTENERS:
            raise Crowded
        listener = Listener(run, asyncio.get_running_loop())
        self._listeners.add(listener)
        return listener

    async def stream(self, listener: Listener) -> AsyncIterator[str]:
        """Server-sent events, until the page goes away."""
        try:
            yield "retry: 3000\n\n"
            while True:
                yield await _news(listener)
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._listeners.discard(listener)


async def _news(listener: Listener) -> str:
    try:
        await asyncio.wait_for(listener.news.wait(), QUIET_SECONDS)
    except TimeoutError:
        return ": quiet\n\n"
    listener.news.clear()
    return "event: change\ndata: \n\n"
