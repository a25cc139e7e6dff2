"""Signs of life for somebody outside: a URL of the loop's own, and one of each job for start, success and failure.

The protocol is that of healthchecks. Everything is said from a thread of its own, so that a slow listener holds up
nobody, and the loop's sign is given only while the loop makes turns.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from ..domain.events import Event, RunEnded, RunStarted
from ..domain.health import Pulse
from ..domain.model import Run, RunState
from ..ports import Notice, Severity

MOST_WAITING = 1_000
"""Signs that wait to be given; beyond that the newest are dropped."""
_RUNS = uuid.UUID("5a3d8f0e-7c64-5c1f-9b51-1f6a3d0c9e27")
_ENDINGS = {RunState.SUCCEEDED: "", RunState.DEGRADED: "", RunState.FAILED: "/fail", RunState.CANCELLED: "/log"}


@dataclass(frozen=True, slots=True)
class Targets:
    """`jobs` holds `{job}` where a job's id belongs; empty where nobody listens. Times are seconds."""

    loop: str = field(default="", repr=False)
    jobs: str = field(default="", repr=False)
    every: float = 60.0
    timeout: float = 5.0


@dataclass(frozen=True, slots=True)
class _Sign:
    url: str
    body: str
    params: tuple[tuple[str, str], ...] = ()


class Heartbeats:
    """An EventSink. `say` hears once that nobody can be reached, and once that somebody is again."""

    def __init__(self, targets: Targets, pulse: Callable[[], Pulse], say: Callable[[Notice], None]) -> None:
        self._targets = targets
        self._pulse = pulse
        self._say = say
        self._waiting: queue.Queue[_Sign | None] = queue.Queue(MOST_WAITING)
        self._turns = 0
        self._beat_at = 0.0
        self._trouble = ""
        self._thread = threading.Thread(target=self._attend, name="heartbeats", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 1.0) -> None:
        """What is not said by then is not said."""
        with suppress(queue.Full):
            self._waiting.put_nowait(None)
        self._thread.join(seconds)

    def emit(self, run: Run, event: Event) -> None:
        if not self._targets.jobs or run.dry_run:
            return
        for sign in self._of(run, event):
            with suppress(queue.Full):  # a listener that is away must not fill the memory
                self._waiting.put_nowait(sign)

    def notice(self, notice: Notice) -> None:
        """What happens to the daemon is said by the loop's own sign, or by its absence."""

    def _of(self, run: Run, event: Event) -> Iterator[_Sign]:
        url = self._targets.jobs.replace("{job}", run.job)
        params = (("rid", str(uuid.uuid5(_RUNS, run.id))),)
        if isinstance(event, RunStarted):
            yield _Sign(f"{url}/start", run.id, params)
        elif isinstance(event, RunEnded):
            # The reason may quote data; whoever listens outside learns the state alone.
            yield _Sign(url + _ENDINGS[event.state], f"{run.id} {event.state}", params)

    def _attend(self) -> None:
        with httpx.Client(timeout=self._targets.timeout, follow_redirects=False) as client:
            while True:
                try:
                    sign = self._waiting.get(timeout=max(0.0, self._beat_at - time.monotonic()))
                except queue.Empty:
                    self._beat(client)
                    continue
                if sign is None:
                    return
                self._give(client, sign)

    def due(self) -> bool:
        """Whether the loop has got on since the last time this was asked, with a store that answers."""
        pulse = self._pulse()
        if pulse.trouble or pulse.turns <= self._turns:
            return False
        self._turns = pulse.turns
        return True

    def _beat(self, client: httpx.Client) -> None:
        self._beat_at = time.monotonic() + self._targets.every
        if self._targets.loop and self.due():
            self._give(client, _Sign(self._targets.loop, f"{self._turns} turns"))

    def _give(self, client: httpx.Client, sign: _Sign) -> None:
        try:
            client.post(sign.url, params=dict(sign.params), content=sign.body.encode()).raise_for_status()
        except httpx.HTTPStatusError as error:
            self._failed(f"it answers {error.response.status_code}")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._failed(type(error).__name__)
        else:
            if self._trouble:
                self._say(Notice("heartbeat_answers", "the heartbeat is heard again", Severity.INFO))
            self._trouble = ""

    def _failed(self, trouble: str) -> None:
        """The URL is as good as a password, so it is not named."""
        if trouble != self._trouble:
            self._say(Notice("heartbeat_trouble", f"the heartbeat is not heard: {trouble}"))
        self._trouble = trouble
