"""Every sign of life follows the loop's own turns: once it stalls, all of them stop."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from daemon.adapters.heartbeats import Heartbeats, Targets
from daemon.adapters.systemd import Heartbeat, Notifier
from daemon.domain.health import STALLED_SECONDS, health
from daemon.ports import Notice
from daemon.runtime.loop import Loop
from daemon.testing.fake_clock import FakeClock
from daemon.testing.recording_sink import RecordingSink


class Stalled(BaseException):
    """Stands for a turn that never ends."""


class Duty:
    def __init__(self, clock: FakeClock, turns: int) -> None:
        self.clock, self.left = clock, turns

    def lead(self) -> bool:
        return True

    def take_over(self) -> None: ...

    def take_up(self) -> None: ...

    def stand_down(self) -> None: ...

    def tick(self) -> datetime:
        self.left -= 1
        if self.left < 0:
            raise Stalled
        return self.clock.now() + timedelta(seconds=5)


class Watchdog:
    """A notifier that counts."""

    listens = True
    fed = 0

    def alive(self) -> None:
        self.fed += 1

    def status(self, line: str) -> None: ...

    def ready(self) -> None: ...


class Sleeper:
    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock

    def wait(self, until: datetime) -> None:
        self.clock.advance((until - self.clock.now()).total_seconds())


def test_the_watchdog_the_gauge_and_the_heartbeat_stop_when_the_loop_stalls() -> None:
    clock, watchdog, said = FakeClock(), Watchdog(), list[Notice]()
    loops: list[Loop] = []
    beat = Heartbeat(
        Sleeper(clock), cast("Notifier", watchdog), lambda: health(loops[0].pulse, clock.boot()), lambda: ""
    )
    loops.append(Loop(clock, RecordingSink(), beat))
    outside = Heartbeats(Targets(loop="http://127.0.0.1/"), lambda: loops[0].pulse, said.append)
    try:
        loops[0].run(Duty(clock, 3))
    except Stalled:
        clock.advance(STALLED_SECONDS + 1)
    assert (watchdog.fed, loops[0].pulse.turns) == (3, 3)
    assert [outside.due() for _ in range(3)] == [True, False, False]
    assert not health(loops[0].pulse, clock.boot()).alive
