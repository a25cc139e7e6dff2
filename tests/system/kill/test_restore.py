"""A store that is put back after deliveries went on: what it has forgotten is asked about, nothing is sent twice."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from daemon.domain.model import RunState
from tests.system.kill.stand import JOB, Stand
from tests.unit.tools.test_http_post import Receiver, receiver

__all__ = ["receiver"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
FORGOTTEN = "the store is older than"


def posting(to: Receiver) -> dict[str, Any]:
    """Due every second, and owed whatever happens: one post over HTTP and one message in the outbox each."""
    told = {"url": to.url, "body": {"due": "${run.due}"}, "status_url": f"http://127.0.0.1:{to.port}/status/{{key}}"}
    said = {"channel": "#all", "text": "${run.due}", "outbox": "${settings.outbox}"}
    return {
        "id": JOB,
        "goal": "Everybody is told once",
        "timezone": "UTC",
        "schedule": {"every": "1s", "catch_up": "all", "catch_up_limit": 1000, "overlap": "allow"},
        "steps": [
            {"id": "tell", "use": "http_post", "timeout": "3s", "with": told},
            {"id": "say", "use": "slack_send_message", "timeout": "3s", "with": said},
        ],
    }


@dataclass
class Scene:
    stand: Stand
    to: Receiver
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def serve(self) -> subprocess.Popen[str]:
        self.started.append(self.stand.clockwright("serve"))
        return self.started[-1]

    def clockwright(self, *arguments: str) -> None:
        assert self.stand.clockwright(*arguments).wait(60) == 0, self.stand.log

    def until(self, holds: Callable[[], bool]) -> None:
        give_up = time.monotonic() + 60.0
        while not holds():
            assert time.monotonic() < give_up, self.stand.log[-3000:]
            time.sleep(0.05)

    def posts(self, number: int) -> None:
        """Until that many have arrived."""
        self.until(lambda: len(self.to.arrived) >= number)

    def messages(self) -> dict[str, float]:
        """When each message in the outbox was written."""
        return {path.parent.name: path.stat().st_mtime for path in self.stand.messages()}


@pytest.fixture
def scene(tmp_path: Path, receiver: Receiver) -> Iterator[Scene]:
    scene = Scene(Stand(tmp_path).set_up(posting(receiver)), receiver)
    yield scene
    for process in scene.started:
        if process.poll() is None:
            process.kill()
        process.wait()


def test_what_was_delivered_after_the_backup_is_not_sent_again_once_it_is_put_back(scene: Scene) -> None:
    first = scene.serve()
    scene.posts(2)
    scene.clockwright("backup", str(scene.stand.folder / "kept"))
    known = len(scene.to.arrived)
    scene.posts(known + 3)
    first.kill()
    first.wait()
    delivered, said = len(scene.to.arrived), scene.messages()

    [backup] = (scene.stand.folder / "kept").iterdir()
    scene.clockwright("restore", str(backup))
    scene.clockwright("jobs", "resume", "--all")
    forgotten = {run.id for run in scene.stand.runs()}
    second = scene.serve()
    scene.posts(delivered + 2)
    second.terminate()
    assert second.wait(60) == 0, scene.stand.log

    assert FORGOTTEN in scene.stand.log
    keys = Counter(key for key, _, _ in scene.to.arrived)
    assert max(keys.values()) == 1, "a post came twice"
    assert said.items() <= scene.messages().items(), "a message was written anew"
    runs = scene.stand.runs()
    ended = [run for run in runs if run.state.ended]
    assert len(runs) >= delivered > len(forgotten), "the forgotten instants are owed once more"
    assert {run.state for run in ended} == {RunState.SUCCEEDED}
    assert not {run.id for run in ended} <= forgotten, "what was found at its receiver counts as done"
