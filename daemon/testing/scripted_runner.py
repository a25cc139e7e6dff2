"""A ToolRunner without tools: a script says what every call does, and a clock says when."""

from __future__ import annotations

from collections.abc import Callable

from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Purpose
from daemon.ports import Call, Ended

from .fake_clock import FakeClock, Timer
from .plays import Play, Script
from .receiver import Receiver

WORKS = Script()
OnEnd = Callable[[Ended], None]


class ScriptedRunner:
    """`daemon.ports.ToolRunner`. `calls` holds every call that was started, in order.

    Reconcile calls ask the receiver. Nothing is sent at or after a call's deadline, and nothing by a call that was
    killed; a call that is told to hang ends as `timeout` when its seconds are over.
    """

    def __init__(
        self, clock: FakeClock, script: Callable[[Call], Play] = WORKS, receiver: Receiver | None = None
    ) -> None:
        self.calls: list[Call] = []
        self.receiver = receiver or Receiver(clock)
        self._clock = clock
        self._script = script
        self._flights: list[Flight] = []

    def start(self, call: Call, on_end: OnEnd) -> Flight:
        self.calls.append(call)
        play = self._script(call) if call.purpose is not Purpose.RECONCILE else Play(None, 0.05)
        flight = Flight(self._clock, self.receiver, call, play, on_end)
        self._flights = [*(other for other in self._flights if other.flying), flight]
        return flight

    def close(self) -> None:
        """The process goes away, and its children with it: nothing is sent and nothing is told any more."""
        for flight in self._flights:
            flight.vanish()
        self._flights = []


class Flight:
    """One call on its way: `daemon.ports.Running`."""

    def __init__(self, clock: FakeClock, receiver: Receiver, call: Call, play: Play, on_end: OnEnd) -> None:
        self._clock = clock
        self._receiver = receiver
        self._call = call
        self._play = play
        self._on_end = on_end
        self._timers: list[Timer] = []
        self._begin()

    def kill(self) -> None:
        if self.vanish():
            self._at(0.0, lambda: self._end(Kind.INTERRUPTED, "stopped on request"))

    @property
    def flying(self) -> bool:
        return any(timer.pending for timer in self._timers)

    def vanish(self) -> bool:
        """Nothing of this call happens any more. False where nothing would have."""
        flying = self.flying
        for timer in self._timers:
            timer.cancel()
        self._timers = []
        return flying

    def _begin(self) -> None:
        play, call = self._play, self._call
        if play.sends is not None and call.effect_key is not None and play.sends < call.seconds:
            self._at(play.sends, self._send)
        if call.purpose is Purpose.RECONCILE:
            self._at(play.seconds, self._answer)
        elif play.outcome is None or play.seconds >= call.seconds:
            self._at(call.seconds, lambda: self._end(Kind.TIMEOUT, f"killed after {call.seconds:g}s"))
        else:
            self._at(play.seconds, self._come_out)

    def _at(self, seconds: float, callback: Callable[[], None]) -> None:
        self._timers.append(self._clock.after(seconds, callback))

    def _send(self) -> None:
        """The child looks at the clock right before it sends."""
        expires = self._call.expires
        if self._clock.now() < self._call.deadline and (expires is None or self._clock.boot() < expires):
            self._receiver.take(self._call, self._play.parts)
        elif self._timers:
            self.vanish()
            self._at(0.0, lambda: self._end(Kind.TIMEOUT, "too late to send"))

    def _answer(self) -> None:
        self._on_end(Ended(self._receiver.reconcile(self._call)))

    def _come_out(self) -> None:
        if self._play.outcome is not None:
            ended = Ended(self._play.outcome)
            self._on_end(ended)
            if self._play.repeats:
                self._at(0.5, lambda: self._on_end(ended))

    def _end(self, kind: Kind, message: str) -> None:
        self._on_end(Ended(Failed(kind, message)))
