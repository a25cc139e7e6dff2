"""Watches over the calls that workers have in hand: answers, deadlines, kills."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from daemon.adapters.sandbox import endings, linux
from daemon.adapters.sandbox.flight import Flight
from daemon.adapters.sandbox.frames import FrameError, FrameTooLargeError
from daemon.adapters.sandbox.handle import WorkerHandle
from daemon.adapters.sandbox.loop import READ, WRITE, Loop
from daemon.adapters.sandbox.protocol import GRACE, Failed, Outcome, outcome_from_json

_TAKE_WITHIN = 2.0
"""A worker that has not taken its call by then is stopped or dead; its tool has not begun, so another may."""
_LEAVE_WITHIN = 0.5
_DIE_WITHIN = 0.7
"""With GRACE under a second: then the call ends even if the kernel cannot end the process."""
_ANSWER_OVERHEAD = 1 << 16


class Custody:
    """Brings each flight that boards a worker to exactly one of: `end` with its outcome, or `requeue`."""

    def __init__(self, loop: Loop, end: Callable[[Flight, Outcome], None], requeue: Callable[[Flight], None]) -> None:
        self._loop = loop
        self._end = end
        self._requeue = requeue
        self._flights: dict[WorkerHandle, Flight] = {}

    def board(self, flight: Flight, worker: WorkerHandle) -> None:
        """Hand the call to a waiting worker."""
        flight.worker = worker
        self._flights[worker] = flight
        self._loop.watch(worker.tail.descriptor, partial(self._drain, worker))
        self._loop.alarms.set(flight, linux.now() + _TAKE_WITHIN, worker.signal)
        worker.send(flight.frame, flight.call.limits.output + _ANSWER_OVERHEAD)
        self._listen(flight, worker)

    def doom(self, flight: Flight, outcome: Failed) -> None:
        """Whatever the worker may still say, the call ends with `outcome`; kill it now."""
        if flight.doom is None:
            flight.doom = outcome
        self._strike(flight)

    def exited(self, worker: WorkerHandle, status: int | None) -> None:
        """The worker and all its descendants are gone; its last words may still lie in the socket."""
        flight = self._flights.get(worker)
        if flight is None:
            return
        self._read(flight, worker)
        if not flight.ended:
            self._release(worker)
            self._conclude(flight, worker, status)

    def _conclude(self, flight: Flight, worker: WorkerHandle, status: int | None) -> None:
        if flight.doom is None and flight.taken_at is None:
            self._requeue(flight)
        elif flight.doom is None and not flight.late():
            self._end(flight, endings.died(status, worker.tail.bytes()))
        else:
            self._end(flight, flight.doom or endings.timed_out(flight.call.timeout))

    def _listen(self, flight: Flight, worker: WorkerHandle) -> None:
        mask = READ | WRITE if worker.sending else READ
        self._loop.watch(worker.channel.fileno(), partial(self._attend, flight, worker), mask)

    def _attend(self, flight: Flight, worker: WorkerHandle) -> None:
        """Read what came, and write what is left."""
        self._read(flight, worker)
        if worker.sending and not flight.ended:
            worker.flush()
            self._listen(flight, worker)

    def _read(self, flight: Flight, worker: WorkerHandle) -> None:
        try:
            for message in worker.receive():
                self._on_message(flight, worker, message)
        except FrameTooLargeError as error:
            self.doom(flight, Failed("invalid_output", str(error)))
        except (FrameError, KeyError, TypeError, ValueError) as error:
            self.doom(flight, Failed("invalid_output", f"the worker's answer cannot be read: {error}"))
        if worker.at_end:
            self._loop.unwatch(worker.channel.fileno())

    def _on_message(self, flight: Flight, worker: WorkerHandle, message: dict[str, Any]) -> None:
        if "taken" in message:
            self._loop.alarms.set(flight, flight.take(), partial(self._expire, flight))
        elif flight.doom is None and not flight.late():
            outcome = outcome_from_json(message["outcome"])
            self._release(worker)
            self._end(flight, outcome)
            self._loop.alarms.set(worker, linux.now() + _LEAVE_WITHIN, worker.signal)

    def _expire(self, flight: Flight) -> None:
        flight.doom = endings.timed_out(flight.call.timeout)
        self._worker_of(flight).signal(signal.SIGTERM)
        self._loop.alarms.set(flight, linux.now() + GRACE, partial(self._strike, flight))

    def _strike(self, flight: Flight) -> None:
        self._worker_of(flight).signal(signal.SIGKILL)
        self._loop.alarms.set(flight, linux.now() + _DIE_WITHIN, partial(self._abandon, flight))

    def _abandon(self, flight: Flight) -> None:
        worker = self._worker_of(flight)
        self._release(worker)
        self._end(flight, flight.doom or endings.timed_out(flight.call.timeout))

    def _release(self, worker: WorkerHandle) -> None:
        flight = self._flights.pop(worker)
        self._loop.alarms.cancel(flight)
        for descriptor in (worker.channel.fileno(), worker.tail.descriptor):
            self._loop.unwatch(descriptor)
        worker.tail.drain()

    def _drain(self, worker: WorkerHandle) -> None:
        if not worker.tail.drain():
            self._loop.unwatch(worker.tail.descriptor)

    @staticmethod
    def _worker_of(flight: Flight) -> WorkerHandle:
        assert flight.worker is not None  # noqa: S101 - only flights that have boarded are in custody
        return flight.worker
