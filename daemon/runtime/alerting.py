"""Alerts on a thread of their own, for as long as this daemon leads: no run and no tick waits for Slack."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

from ..ports import Clock, EventSink, Notice, Severity, Stale
from .alerter import Alerter
from .loop import Duty

BREATH = 0.2
"""Seconds between two turns at least, however often it is rung."""
AFTER_A_DEFECT = timedelta(seconds=30)


class Alerting:
    """A duty that also keeps the alerts."""

    def __init__(self, duty: Duty, alerter: Alerter, clock: Clock, sink: EventSink) -> None:
        self._duty = duty
        self._alerter = alerter
        self._clock = clock
        self._sink = sink
        self._rung = threading.Event()
        self._stopped = threading.Event()
        self._leading = False
        self._thread: threading.Thread | None = None
        alerter.ring = self.ring

    def ring(self) -> None:
        """There may be something to tell. From any thread."""
        self._rung.set()

    def lead(self) -> bool:
        return self._duty.lead()

    def take_over(self) -> None:
        self._duty.take_over()
        self._leading = True
        self.ring()
        if self._thread is None:
            self._thread = threading.Thread(target=self._attend, name="alerts", daemon=True)
            self._thread.start()

    def take_up(self) -> None:
        self._duty.take_up()

    def tick(self) -> datetime:
        return self._duty.tick()

    def stand_down(self) -> None:
        self._leading = False
        self._duty.stand_down()

    def stop(self, seconds: float = 2.0) -> None:
        """What is not told by then is told at the next start."""
        self._stopped.set()
        self.ring()
        if self._thread is not None:
            self._thread.join(seconds)

    def _attend(self) -> None:
        until = self._clock.now()
        while not self._stopped.is_set():
            self._rung.wait(max(0.0, (until - self._clock.now()).total_seconds()))
            self._rung.clear()
            until = self._turn()
            self._stopped.wait(BREATH)

    def _turn(self) -> datetime:
        later = self._clock.now() + AFTER_A_DEFECT
        if not self._leading:
            return later
        try:
            return self._alerter.turn()
        except Stale:
            self._leading = False  # until this daemon leads again
        except Exception as error:  # noqa: BLE001  # alerts cannot hurt: whatever it is, runs go on
            self._sink.notice(Notice("alerts_defect", f"{type(error).__name__}: {error}", Severity.CRITICAL))
        return later
