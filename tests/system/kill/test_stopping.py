"""Asked to stop, the real daemon stops in time, and what it was doing goes on at the next start (CB-064)."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.domain.model import RunState
from tests.system.kill.stand import JOB, Stand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def long_job(folder: Path, seconds: float) -> dict[str, Any]:
    given = {"folder": str(folder / "counted"), "name": "work", "seconds": seconds}
    step = {"id": "work", "use": "counts", "with": given}
    schedule = {"cron": "0 0 * * *"}
    return {"id": JOB, "goal": "It takes long", "timezone": "UTC", "schedule": schedule, "steps": [step]}


class Scene:
    def __init__(self, folder: Path, seconds: float) -> None:
        self.stand = Stand(folder).set_up(long_job(folder, seconds))
        self.stand.owe(datetime.now(UTC) - timedelta(days=1))
        self.started: list[subprocess.Popen[str]] = []

    def serve(self, *options: str) -> subprocess.Popen[str]:
        process = self.stand.clockwright("serve", *options)
        self.started.append(process)
        return process

    def until(self, holds: Callable[[], bool]) -> None:
        give_up = time.monotonic() + 60.0
        while not holds():
            assert time.monotonic() < give_up, self.stand.log
            time.sleep(0.02)

    def working(self) -> None:
        self.until(lambda: "attempt 1" in self.stand.log)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path, 600.0)
    yield scene
    for process in scene.started:
        if process.poll() is None:
            process.kill()
        process.wait()


def clean(scene: Scene) -> None:
    assert "Traceback" not in scene.stand.log
    assert "cannot schedule new futures" not in scene.stand.log
    [run] = scene.stand.runs()
    assert not run.state.ended
    assert run.steps["work"].attempt is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle_of_a_long_step_ends_the_daemon_after_its_grace(
    scene: Scene, number: signal.Signals
) -> None:
    process = scene.serve("--drain", "2")
    scene.working()
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(30) == 0
    assert 1.5 < time.monotonic() - began < 15
    clean(scene)


def test_a_second_signal_is_faster_and_no_dirtier(scene: Scene) -> None:
    process = scene.serve("--drain", "60")
    scene.working()
    process.terminate()
    time.sleep(0.3)
    began = time.monotonic()
    process.terminate()
    assert process.wait(30) == 0
    assert time.monotonic() - began < 10
    clean(scene)


def test_a_step_that_ends_within_the_grace_is_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path, 1.5)
    process = scene.serve("--drain", "30")
    scene.working()
    process.terminate()
    assert process.wait(60) == 0
    [run] = scene.stand.runs()
    assert run.state is RunState.SUCCEEDED
    assert scene.stand.counted() == {"work": 1}


def test_what_was_interrupted_goes_on_once_at_the_next_start(scene: Scene) -> None:
    process = scene.serve("--drain", "0")
    scene.working()
    process.terminate()
    assert process.wait(30) == 0
    again = scene.serve("--drain", "0")
    scene.until(lambda: "attempt 2" in scene.stand.log)
    again.terminate()
    assert again.wait(30) == 0
    [run] = scene.stand.runs()
    assert run.steps["work"].started == 2
    assert len(scene.stand.ledger()) == 1


def test_cancel_kills_a_running_step_within_a_second(scene: Scene) -> None:
    process = scene.serve()
    scene.working()
    [run] = scene.stand.runs()
    cancelled = scene.stand.clockwright("runs", "cancel", run.id, "--by", "ada")
    assert cancelled.wait(60) == 0
    [ended] = scene.stand.runs()
    assert (ended.state, ended.reason) == (RunState.CANCELLED, "cancelled by ada")
    [asked] = [event.at for event in scene.stand.events(run.id) if type(event).__name__ == "RunEnding"]
    assert ended.ended_at is not None
    assert (ended.ended_at - asked).total_seconds() < 1.0
    process.terminate()
    assert process.wait(60) == 0
