"""The daemon's loop: tick, sleep, tick. It outlives a store that is away, and says so once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from ..domain.health import Pulse
from ..ports import Clock, EventSink, Notice, Severity, StoreError

LEASE_SECONDS = 15.0
"""Without a renewal for this long, another daemon may take over."""
RENEW = timedelta(seconds=LEASE_SECONDS / 3)
PATIENCE = timedelta(seconds=2)
"""How soon a store that failed is tried again."""
STEADY = 30.0
"""Seconds without trouble after which it counts as over: a disk that is full takes a small write now and then."""


class Sleeper(Protocol):
    """The alarm clock."""

    def wait(self, until: datetime) -> None: ...


class Duty(Protocol):
    """What the holder of the lease does; `lead` renews it and says whether it is ours."""

    def lead(self) -> bool: ...

    def take_over(self) -> None: ...

    def take_up(self) -> None:
        """Read again where accounting stopped: the store may be another one than it was."""
        ...

    def tick(self) -> datetime: ...

    def stand_down(self) -> None: ...


class Loop:
    """One thread runs it. While another daemon holds the lease it stands by."""

    def __init__(self, clock: Clock, sink: EventSink, alarm: Sleeper) -> None:
        self._clock = clock
        self._sink = sink
        self._alarm = alarm
        self._leading: bool | None = None
        self._trouble = ""
        self._well_at = 0.0
        self._doubt = False
        self._stopping = False
        self._turns = 0
        self._turned_at = clock.boot()

    @property
    def pulse(self) -> Pulse:
        """The loop's own progress, which feeds every sign of life. From any thread."""
        return Pulse(self._turns, self._turned_at, self._leading, self._trouble)

    def stop(self) -> None:
        """End after the current turn. Ring the alarm as well, to end its sleep."""
        self._stopping = True

    def run(self, duty: Duty) -> None:
        while not self._stopping:
            until = self.turn(duty)
            if not self._stopping:
                self._alarm.wait(min(until, self._clock.now() + RENEW))

    def turn(self, duty: Duty) -> datetime:
        """Do what there is to do now; the instant by which to turn again."""
        until = self._turn(duty)
        self._turns += 1
        self._turned_at = self._clock.boot()
        return until

    def _turn(self, duty: Duty) -> datetime:
        try:
            until = self._led(duty)
        except StoreError as error:
            self._doubt = True
            self._say_once(str(error))
            return self._clock.now() + PATIENCE
        self._recovered()
        return until

    def _led(self, duty: Duty) -> datetime:
        if not duty.lead():
            self._stand_by(duty)
            return self._clock.now() + RENEW
        if not self._leading:
            duty.take_over()
            self._leading = True
        elif self._doubt:
            duty.take_up()
        self._doubt = False
        return duty.tick()

    def _stand_by(self, duty: Duty) -> None:
        if self._leading:
            duty.stand_down()
        if self._leading is not False:
            self._sink.notice(Notice("standing_by", "another daemon holds the lease; standing by", Severity.INFO))
        self._leading = False

    def _say_once(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._sink.notice(Notice("store_trouble", trouble, Severity.CRITICAL))
        self._trouble = trouble
        self._well_at = self._clock.boot() + STEADY

    def _recovered(self) -> None:
        if not self._trouble or self._clock.boot() < self._well_at:
            return
        self._sink.notice(
            Notice("store_recovered", f"the store answers again; it said: {self._trouble}", Severity.INFO)
        )
        self._trouble = ""
