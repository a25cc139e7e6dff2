"""Where a process strikes itself down, written as one word on its command line.

`touch:N`      at the N-th visit to the store for a write; every write is visited before and after
`launch:N`     when the N-th call has just been handed to the sandbox
`during:N:S`   S seconds after that
`outcome:N`    when the N-th call has come out and nobody knows yet
`settled:N`    when the N-th outcome has just been committed
`never`

A leading `stop-` freezes the process instead of killing it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from daemon.domain.events import AttemptEnded
from daemon.domain.model import Run
from daemon.ports import Birth, Call, Change, Ended, Running, ToolRunner


@dataclass
class Strike:
    """Counts the visits to every named point, from any thread, and strikes at the one that was asked for."""

    where: str
    _visits: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, point: str) -> bool:
        """Whether this visit is the one; a plain point strikes before it is answered."""
        with self._lock:
            self._visits[point] += 1
            visit = f"{point}:{self._visits[point]}"
            if self.where.removeprefix("stop-") == visit:
                self.now()
        return self.where.removeprefix("stop-").startswith(f"during:{self._visits[point]}:") and point == "launch"

    def now(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP if self.where.startswith("stop-") else signal.SIGKILL)

    @property
    def delay(self) -> float:
        return float(self.where.rpartition(":")[2])

    # -- as the watch of a store

    def touch(self, *, writes: bool = False) -> None:
        if writes:
            self.at("touch")

    def led(self, epoch: int | None) -> None: ...

    def born(self, births: Sequence[Birth], stored: Sequence[bool]) -> None: ...

    def claimed(self, run: Run) -> None: ...

    def committed(self, change: Change) -> None:
        for _ in (event for event in change.events if isinstance(event, AttemptEnded)):
            self.at("settled")


class StruckRunner:
    """`daemon.ports.ToolRunner` over another one."""

    def __init__(self, inner: ToolRunner, strike: Strike) -> None:
        self._inner = inner
        self._strike = strike

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        def ended(end: Ended) -> None:
            self._strike.at("outcome")
            on_end(end)

        running = self._inner.start(call, ended)
        if self._strike.at("launch"):
            timer = threading.Timer(self._strike.delay, self._strike.now)
            timer.daemon = True
            timer.start()
        return running

    def close(self) -> None:
        self._inner.close()
