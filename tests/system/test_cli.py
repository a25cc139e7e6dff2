"""The real command as a subprocess, with the real store, executor and sandbox."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.cli.exit_codes import ExitCode
from tests.system.cli_folder import Folder, stop, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder.make(tmp_path / "config")


def test_a_run_ends_well_and_a_second_one_shows_what_was_delivered(folder: Folder) -> None:
    code, out, _ = folder.run("run", "report")
    assert (code, "succeeded in" in out) == (ExitCode.OK, True)
    code, out, _ = folder.run("run", "report")
    assert (code, "This was already delivered" in out) == (ExitCode.OK, True)
    assert (folder.marks(), folder.delivered()) == ({"first": 1, "second": 1}, 1)


@pytest.mark.parametrize("seed", range(5))
def test_a_run_that_was_killed_at_any_moment_is_finished_by_the_next(folder: Folder, seed: int) -> None:
    folder.run("tools", "list")
    killed = folder.start("run", "report")
    wait_for((folder.root / "state" / "clockwright.db").exists)
    time.sleep(random.Random(seed).uniform(0.0, 3.0))
    killed.kill()
    killed.communicate()
    code, out, _ = folder.run("run", "report")
    assert code == ExitCode.OK, out
    assert folder.delivered() == 1
    _expect_no_finished_step_ran_twice(folder)


def _expect_no_finished_step_ran_twice(folder: Folder) -> None:
    """A step that was cut short may have been begun again; one whose end was recorded may not."""
    [run] = folder.json("runs", "list")
    ends = [each for each in folder.json("runs", "show", run["id"])["history"] if each["text"].startswith("done: ")]
    assert sorted(each["step"] for each in ends) == ["first", "post", "second"]


def test_ctrl_c_is_one_clean_line_and_loses_nothing(folder: Folder) -> None:
    process = folder.start("run", "hang")
    wait_for(lambda: _states(folder) == ["running"])
    code, _, err = stop(process, signal.SIGINT)
    assert (code, err.count("\n")) == (ExitCode.INTERRUPTED, 1)
    assert "clockwright run hang --date" in err
    assert _states(folder) == ["running"]


def _states(folder: Folder) -> list[str]:
    return [run["state"] for run in folder.json("runs", "list")]


@contextmanager
def serving(folder: Folder) -> Iterator[None]:
    process = folder.start("serve")
    try:
        assert process.stderr is not None
        while json.loads(process.stderr.readline())["topic"] != "serving":
            continue
        yield
    finally:
        code, _, err = stop(process)
        assert code == ExitCode.OK, err


def test_serve_fires_what_is_due_and_ends_cleanly(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "config", cron="* * * * *")
    with serving(folder):
        soon = datetime.now(UTC) + timedelta(minutes=1, seconds=30)
        wait_for(lambda: folder.delivered() > 0, (soon - datetime.now(UTC)).total_seconds())
    assert folder.json("runs", "list")[-1]["cause"] == "schedule"


def test_run_beside_a_daemon_leaves_the_run_to_it_and_follows(folder: Folder) -> None:
    with serving(folder):
        code, out, _ = folder.run("run", "report")
        assert (code, "a daemon is at work here" in out) == (ExitCode.OK, True)
        assert folder.delivered() == 1


def test_a_hanging_tool_is_gone_soon_after_it_was_cancelled(folder: Folder) -> None:
    with serving(folder):
        follower = folder.start("run", "hang")
        wait_for(lambda: _states(folder) == ["running"])
        [run] = folder.json("runs", "list")
        assert folder.run("runs", "cancel", run["id"])[1] == f"{run['id']}: cancelled\n"
        follower.communicate(timeout=10)
        assert follower.returncode == ExitCode.CANCELLED
        history = folder.json("runs", "show", run["id"])["history"]
    assert _seconds(history, "RunEnding", "RunEnded") < 1.0


def _seconds(history: list[dict[str, str]], first: str, last: str) -> float:
    at = {each["kind"]: datetime.fromisoformat(each["at"]) for each in history}
    return (at[last] - at[first]).total_seconds()


def test_a_second_daemon_stands_by(folder: Folder) -> None:
    with serving(folder):
        second = folder.start("serve")
        assert second.stderr is not None
        wait_for(lambda: json.loads(second.stderr.readline())["topic"] == "standing_by" if second.stderr else False)
        assert stop(second)[0] == ExitCode.OK


def test_a_tool_is_tried_in_the_real_sandbox(folder: Folder) -> None:
    assert folder.run("tools", "try", "linger", "--input", "{}")[0] == ExitCode.OK
    code, _, err = folder.run("tools", "try", "linger", "--input", '{"secnods": 1}')
    assert (code, err.count("\n")) == (ExitCode.USAGE, 1)


ODD = "goal: x\nsteps: [{id: a, use: linger}]\n"


@pytest.mark.parametrize(
    ("file", "text", "arguments", "code", "message"),
    [
        ("jobs/twin.yaml", f"id: report\n{ODD}", ("validate",), 78, "two jobs have the id"),
        ("jobs/tab.yaml", "id: tab\n\tgoal: x", ("validate",), 78, "jobs/tab.yaml:2:1: a tab is used"),
        ("jobs/odd.yaml", f"id: odd\nshedule: 1\n{ODD}", ("run", "odd"), 78, "'shedule'"),
        ("tools/broken.py", "def (", ("validate",), 0, ""),
        ("clockwright.yaml", "state: clockwright.yaml/x", ("run", "hang"), 69, "Not a directory"),
        ("notes", "", ("run", "reprot"), 2, "did you mean 'report'?"),
        ("notes", "", ("run", "report", "--date", "yesteryear"), 2, "is not a date"),
        ("notes", "", ("run", "report", "--date", "2999-01-01"), 2, "is in the future"),
    ],
)  # fmt: skip
def test_bad_input_is_said_without_a_traceback(
    folder: Folder, file: str, text: str, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (folder.root / file).write_text(text)
    if file == "clockwright.yaml":
        (folder.root / file).write_text(f"{text}\ntools: [tools]\n")
    ended, _, err = folder.run(*arguments)
    assert (ended, message in err, "Traceback" in err) == (code, True, False), err


def test_the_demo_delivers_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "demo")
    code, out, err = folder.run("demo", "--folder", str(folder.root))
    assert (code, "succeeded in" in out) == (ExitCode.OK, True), err
    code, out, _ = folder.run("demo", "--folder", str(folder.root))
    assert (code, "This was already delivered" in out) == (ExitCode.OK, True)
    assert folder.delivered() == 1
