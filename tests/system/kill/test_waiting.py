"""What takes its time in a real daemon: a source that is not complete yet, and a tool that never comes to its end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.domain.events import AttemptStarted, GateOpened
from daemon.domain.job import Disposition
from daemon.domain.model import Purpose, Run, RunState
from tests.system.kill.stand import JOB, Stand

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
PATIENT, HURRIED = "patient", "hurried"
AT_MOST = timedelta(seconds=8)


class Scene:
    def __init__(self, folder: Path) -> None:
        self.stand = Stand(folder)
        self.source = folder / "source"
        self.source.mkdir()
        self.started: list[subprocess.Popen[str]] = []

    def serve(self) -> subprocess.Popen[str]:
        self.started.append(self.stand.clockwright("serve"))
        return self.started[-1]

    def until(self, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        give_up = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < give_up, self.stand.log
            time.sleep(0.05)

    def run(self, job: str) -> Run | None:
        return next((run for run in self.stand.runs() if run.job == job), None) if self.stand.exists else None

    def probes(self, run: Run) -> list[AttemptStarted]:
        events = self.stand.events(run.id)
        return [one for one in events if isinstance(one, AttemptStarted) and one.attempt.purpose is Purpose.PROBE]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    for process in scene.started:
        if process.poll() is None:
            process.kill()
        process.wait()


def gated(scene: Scene, name: str, at_most: str) -> dict[str, Any]:
    """Owed since last midnight, and in need of three rows."""
    folder = scene.stand.folder
    work = {"id": "work", "use": "counts", "with": {"folder": str(folder / "counted"), "name": f"${{run.id}}.{name}"}}
    gate = {"use": "rows", "with": {"folder": str(scene.source)}, "until": "output.count >= 3"}
    return {
        "id": name,
        "goal": "All rows are there",
        "timezone": "UTC",
        "schedule": {"cron": "0 0 * * *"},
        "limits": {"crashes": 20},
        "steps": [work | {"fresh": gate | {"every": "1s", "at_most": at_most}}],
    }


def test_a_source_is_waited_for_over_a_kill_and_one_that_is_never_complete_degrades_in_time(scene: Scene) -> None:
    stand = scene.stand.set_up(gated(scene, JOB, "1m"))
    stand.write_job(gated(scene, PATIENT, "30m"), PATIENT)
    stand.write_job(gated(scene, HURRIED, "8s"), HURRIED)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for job in (JOB, PATIENT, HURRIED):
        stand.owe(yesterday, job)
    first = scene.serve()
    scene.until(lambda: all(run and scene.probes(run) for run in map(scene.run, (PATIENT, HURRIED))))
    first.kill()
    first.wait()
    (scene.source / "1").touch()
    scene.serve()
    scene.until(lambda: (run := scene.run(HURRIED)) is not None and run.state.ended)
    patient, hurried = scene.run(PATIENT), scene.run(HURRIED)
    assert patient is not None
    assert hurried is not None
    assert not patient.state.ended
    assert hurried.state is RunState.DEGRADED
    assert "rows was waited for" in hurried.reason
    assert "output.count >= 3" in hurried.reason
    [opened] = [one for one in stand.events(hurried.id) if isinstance(one, GateOpened)]
    waited = opened.at - scene.probes(hurried)[0].at
    assert AT_MOST <= waited < 2 * AT_MOST, "neither the kill nor the start makes the wait shorter or longer"
    for name in ("2", "3"):
        (scene.source / name).touch()
    scene.until(stand.all_ended)
    assert {run.job: run.state for run in stand.runs()} == {
        JOB: RunState.SUCCEEDED,
        PATIENT: RunState.SUCCEEDED,
        HURRIED: RunState.DEGRADED,
    }
    assert set(stand.counted().values()) == {1}
    assert len(scene.probes(patient)) < 30, "it is asked once a second, and not without a pause"


def hung(folder: Path) -> dict[str, Any]:
    """Due every two seconds, and its only step never ends."""
    step = {"id": "work", "use": "counts", "with": {"folder": str(folder / "counted"), "name": "x", "seconds": 3000}}
    return {
        "id": JOB,
        "goal": "It would hang for ever",
        "timezone": "UTC",
        "schedule": {"every": "2s"},
        "limits": {"deadline": "3s", "answer_within": "1s"},
        "steps": [step],
    }


def healthy(folder: Path) -> dict[str, Any]:
    """Due every second, and done at once."""
    step = {"id": "work", "use": "counts", "with": {"folder": str(folder / "counted"), "name": "${run.id}"}}
    return hung(folder) | {"id": HURRIED, "schedule": {"every": "1s"}, "steps": [step]}


def test_a_hung_run_holds_its_job_up_until_its_deadline_and_no_longer_and_no_other_job(scene: Scene) -> None:
    """CB-059"""
    stand = scene.stand.set_up(hung(scene.stand.folder))
    stand.write_job(healthy(scene.stand.folder), HURRIED)
    scene.serve()

    def over() -> list[Run]:
        return [run for run in (stand.runs() if stand.exists else []) if run.job == JOB and run.state.ended]

    scene.until(lambda: len(over()) >= 2)
    ended = sorted(over(), key=lambda run: run.instant)
    for run in ended:
        assert run.state is RunState.FAILED
        assert run.reason == "budget exceeded: not finished within 0:00:03"
        assert run.ended_at is not None
        assert run.ended_at - run.queued_at < timedelta(seconds=6)
    rows = stand.ledger()
    begun = {Disposition.STARTED, Disposition.LATE_STARTED}
    assert Disposition.SKIPPED_OVERLAP in {row.disposition for row in rows}
    assert {row.disposition for row in rows} <= begun | {Disposition.SKIPPED_OVERLAP, Disposition.COALESCED_INTO}
    assert next(row for row in rows if row.occurrence.instant == ended[1].instant).disposition in begun
    hung_until = ended[0].ended_at
    assert hung_until is not None
    beside = [run for run in stand.runs() if run.job == HURRIED and run.state is RunState.SUCCEEDED]
    assert [run for run in beside if ended[0].queued_at < run.queued_at < hung_until]
    assert "x" not in stand.counted(), "the late result is not taken"
