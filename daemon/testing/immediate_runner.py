"""A ToolRunner that is done before `start` returns: for tests with real threads, which must not wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Lock

from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Purpose
from daemon.ports import Call, Ended

from .fake_clock import FakeClock
from .plays import Play, Script
from .receiver import Receiver

WORKS = Script()


@dataclass(slots=True)
class Held:
    """A call that hangs until it is killed."""

    on_end: Callable[[Ended], None]
    over: bool = False

    def kill(self) -> None:
        if not self.over:
            self.over = True
            self.on_end(Ended(Failed(Kind.INTERRUPTED, "stopped on request")))


class ImmediateRunner:
    """`daemon.ports.ToolRunner`. `holding` is set as soon as a call hangs."""

    def __init__(self, script: Callable[[Call], Play] = WORKS) -> None:
        self.calls: list[Call] = []
        self.receiver = Receiver(FakeClock())
        self.holding = Event()
        self._script = script
        self._lock = Lock()

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Held:
        with self._lock:
            self.calls.append(call)
        if call.purpose is Purpose.RECONCILE:
            on_end(Ended(self.receiver.reconcile(call)))
            return Held(on_end, over=True)
        play = self._script(call)
        if play.sends is not None and call.effect_key is not None:
            self.receiver.take(call, play.parts)
        if play.outcome is not None:
            on_end(Ended(play.outcome))
        else:
            self.holding.set()
        return Held(on_end, over=play.outcome is not None)

    def close(self) -> None:
        """Nothing is open."""
