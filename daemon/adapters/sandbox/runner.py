"""The sandbox as the daemon sees it: start a call, hear its end, kill it, reload."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from daemon.adapters.sandbox import endings, linux
from daemon.adapters.sandbox.custody import Custody
from daemon.adapters.sandbox.flight import Flight, OnEnd
from daemon.adapters.sandbox.handle import WorkerHandle
from daemon.adapters.sandbox.loop import Loop
from daemon.adapters.sandbox.nursery import Nursery
from daemon.adapters.sandbox.protocol import Failed, Outcome, ToolCall, ToolResult
from daemon.adapters.sandbox.recipe import Recipe

_log = logging.getLogger(__name__)

_TOP_UP_AFTER = 0.02
"""While another spare waits, the fork of the next one keeps out of the way of the call that has begun."""
_TRIES = 3
"""Workers that may die with a call in hand before its tool has begun."""


class SandboxClosedError(RuntimeError):
    """The sandbox takes no more calls."""


class Running:
    """A call that was started."""

    def __init__(self, call_id: str, kill: Callable[[], object]) -> None:
        self.call_id = call_id
        self._kill = kill

    def kill(self) -> None:
        """End the call now as `interrupted`, with all its descendants; nothing happens when it has ended."""
        self._kill()


class Sandbox:
    """Runs tools in single-use child processes. Every method may be called from any thread.

    `ready_within` bounds how many seconds a call waits for a worker; a longer wait ends it as transient.
    """

    def __init__(self, recipe: Recipe | None = None, *, ready_within: float = 30.0) -> None:
        self._ready_within = ready_within
        self._loop = Loop()
        self._nursery = Nursery(self._loop, recipe or Recipe(), self._match, self._on_exit)
        self._custody = Custody(self._loop, self._end, self._requeue)
        self._queue: deque[Flight] = deque()
        self._open: set[Flight] = set()
        self._closing = threading.Event()
        self._loop.post(self._nursery.begin)
        self._thread = threading.Thread(target=self._loop.run, args=(self._done,), name="sandbox", daemon=True)
        self._thread.start()

    def start(self, call: ToolCall, on_end: OnEnd) -> Running:
        """Run `call` as soon as a worker waits; `on_end` hears exactly one result, in the sandbox's thread.

        Whoever hears it must be quick. A result comes only after all descendants of the call are dead, its
        own process at most excepted. Raises ValueError for an input that is not strict JSON, and
        SandboxClosedError after `close`.
        """
        flight = Flight(call, on_end)
        if self._closing.is_set() or not self._loop.post(partial(self._enqueue, flight)):
            raise SandboxClosedError("the sandbox is closed")
        return Running(call.call_id, partial(self._loop.post, partial(self._kill, flight)))

    def reload(self, recipe: Recipe | None = None) -> None:
        """Load the tools anew: a call started after this never meets older code, one in flight goes on."""
        self._loop.post(partial(self._nursery.renew, recipe))

    def close(self) -> None:
        """End every call as interrupted and every process; returns when they are gone."""
        if not self._closing.is_set():
            self._closing.set()
            self._loop.post(self._shut)
        self._thread.join()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _done(self) -> bool:
        return self._closing.is_set() and not self._open and self._nursery.empty

    def _enqueue(self, flight: Flight) -> None:
        self._open.add(flight)
        self._queue.append(flight)
        due = flight.queued_at + self._ready_within
        self._loop.alarms.set(flight, due, partial(self._starve, flight))
        self._match()
        if self._closing.is_set():
            self._kill(flight)

    def _match(self) -> None:
        while self._queue and (worker := self._nursery.take()):
            self._custody.board(self._queue.popleft(), worker)
        if self._queue or not self._nursery.waiting:
            self._top_up()
        else:
            self._loop.alarms.set(self, linux.now() + _TOP_UP_AFTER, self._top_up)

    def _top_up(self) -> None:
        if not self._closing.is_set():
            self._nursery.want(len(self._queue))

    def _kill(self, flight: Flight) -> None:
        if flight in self._queue:
            self._queue.remove(flight)
            self._end(flight, endings.INTERRUPTED)
        elif not flight.ended:
            self._custody.doom(flight, endings.INTERRUPTED)

    def _shut(self) -> None:
        for flight in list(self._open):
            self._kill(flight)
        self._nursery.end()

    def _on_exit(self, worker: WorkerHandle, status: int | None) -> None:
        self._custody.exited(worker, status)

    def _requeue(self, flight: Flight) -> None:
        flight.tries += 1
        if flight.tries >= _TRIES:
            self._end(flight, Failed("transient", f"{_TRIES} tool workers died before they began"))
            return
        self._queue.appendleft(flight)
        self._loop.alarms.set(flight, flight.queued_at + self._ready_within, partial(self._starve, flight))

    def _starve(self, flight: Flight) -> None:
        self._queue.remove(flight)
        self._end(flight, endings.starved(self._ready_within, self._nursery.trouble))

    def _end(self, flight: Flight, outcome: Outcome) -> None:
        flight.ended = True
        self._open.discard(flight)
        self._loop.alarms.cancel(flight)
        try:
            flight.on_end(_result(flight, outcome))
        except Exception:  # noqa: BLE001 - a listener's fault is its own; other calls are waiting
            _log.exception("the listener of call %s failed", flight.call.call_id)


def _result(flight: Flight, outcome: Outcome) -> ToolResult:
    secrets = flight.call.secrets.values()
    if isinstance(outcome, Failed):
        outcome = endings.without_secrets(outcome, secrets)
    tail = endings.text_of(flight.worker.tail.bytes(), secrets) if flight.worker else ""
    pid = flight.worker.pid if flight.worker else None
    return ToolResult(flight.call.call_id, outcome, tail, flight.seconds(), pid)
