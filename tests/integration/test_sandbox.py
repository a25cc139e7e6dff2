"""The sandbox against tools that do their worst; every process here is real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.sandbox.protocol import (
    Failed,
    Limits,
    Reconciled,
    Succeeded,
    ToolCall,
    ToolResult,
)
from daemon.adapters.sandbox.recipe import Recipe
from daemon.adapters.sandbox.runner import Running, Sandbox, SandboxClosedError
from daemon.registry import discover

pytestmark = pytest.mark.slow

ROGUES = Path(__file__).parent / "rogue_tools"
TOOLS = ("echoes", "fails", "hangs", "looks", "posts")
_numbers = count(1)


def light(*folders: Path, tools: tuple[str, ...] = TOOLS, cache: Path) -> Recipe:
    return Recipe(folders=folders or (ROGUES,), tools=tools, preload=(), cache=cache)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with Sandbox(light(cache=tmp_path_factory.mktemp("cache"))) as running:
        yield running


def begin(sandbox: Sandbox, call: ToolCall) -> tuple[Running, Future[ToolResult]]:
    ended: Future[ToolResult] = Future()
    return sandbox.start(call, ended.set_result), ended


def run(sandbox: Sandbox, call: ToolCall) -> ToolResult:
    return begin(sandbox, call)[1].result(timeout=40)


def call(workdir: Path, tool: str, timeout: float = 20.0, **given: Any) -> ToolCall:
    deadline = datetime.now(UTC) + timedelta(seconds=timeout)
    return ToolCall(f"call-{next(_numbers)}", tool, "run", given, str(workdir), deadline, timeout)


def healthy(sandbox: Sandbox, workdir: Path) -> bool:
    return isinstance(run(sandbox, call(workdir, "echoes", word="well")).outcome, Succeeded)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before, or while it is read
        return False


def eventually(condition: Any, within: float = 10.0) -> bool:
    give_up = time.monotonic() + within
    while not condition() and time.monotonic() < give_up:
        os.sched_yield()
    return bool(condition())


HANGS = [
    "sleeps",
    "spins",
    "waits_on_socket",
    "holds_the_gil",
    "backtracks",
    "ignores_sigterm",
    "swallows_everything",
    "prints",
    "stops_itself",
    "detaches",
]


@pytest.mark.parametrize("how", HANGS)
def test_a_hung_tool_is_gone_with_all_descendants_within_a_second_of_its_deadline(
    sandbox: Sandbox, tmp_path: Path, how: str
) -> None:
    """CB-059"""
    result = run(sandbox, call(tmp_path, "hangs", 0.4, how=how))
    family = [result.pid, *(int(path.name.partition("-")[2]) for path in tmp_path.glob("descendant-*"))]
    assert isinstance(result.outcome, Failed)
    assert result.outcome.kind == "timeout"
    assert result.seconds < 0.4 + 1.0
    assert not [pid for pid in family if pid and alive(pid)]
    assert healthy(sandbox, tmp_path)


def test_a_detaching_tool_really_had_descendants(sandbox: Sandbox, tmp_path: Path) -> None:
    run(sandbox, call(tmp_path, "hangs", 0.4, how="detaches"))
    assert len(list(tmp_path.glob("descendant-*"))) == 2


def test_an_answer_after_the_deadline_is_not_taken(sandbox: Sandbox, tmp_path: Path) -> None:
    result = run(sandbox, call(tmp_path, "hangs", 0.4, how="answers_late"))
    assert result.outcome == Failed("timeout", "no result within 0.4 s; killed with all its descendants")


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("segfaults", "crashed", "SIGSEGV"),
        ("exits", "crashed", "exit status 7"),
        ("leaves", "crashed", "sys.exit('enough')"),
        ("eats_memory", "crashed", "out of memory"),
        ("is_killed", "crashed", "out of memory"),
        ("raises", "crashed", "KeyError: 'column' (fails.py:"),
        ("asks_to_wait", "transient", "the receiver is busy"),
        ("says_nan", "invalid_output", "not JSON"),
        ("shouts", "invalid_output", "save big data as an artifact"),
        ("lies", "invalid_output", "number"),
        ("returns_nothing", "invalid_output", "returned NoneType, not Output"),
        ("writes_too_much", "crashed", "File too large"),
        ("opens_too_much", "crashed", "Too many open files"),
    ],
)
def test_every_fault_is_its_own_outcome_and_the_next_call_is_healthy(
    sandbox: Sandbox, tmp_path: Path, how: str, kind: str, words: str
) -> None:
    limits = Limits(memory=200 << 20, open_files=64, file_size=1 << 20)
    outcome = run(sandbox, replace(call(tmp_path, "fails", how=how), limits=limits)).outcome
    assert isinstance(outcome, Failed)
    assert outcome.kind == kind
    assert words in outcome.message
    assert healthy(sandbox, tmp_path)


def test_a_declared_error_keeps_its_hint_and_its_wait(sandbox: Sandbox, tmp_path: Path) -> None:
    outcome = run(sandbox, call(tmp_path, "fails", how="asks_to_wait")).outcome
    assert outcome == Failed("transient", "the receiver is busy", "try later", 7.0)


def test_a_crash_leaves_the_place_of_the_fault_in_the_tail(sandbox: Sandbox, tmp_path: Path) -> None:
    assert "Segmentation fault" in run(sandbox, call(tmp_path, "fails", how="segfaults")).tail


def test_a_secret_is_taken_out_of_message_and_tail(sandbox: Sandbox, tmp_path: Path) -> None:
    secret = replace(call(tmp_path, "fails", how="raises"), secrets={"TOKEN": "xoxb-very-secret"})
    result = run(sandbox, secret)
    assert "xoxb" not in f"{result.outcome} {result.tail}"
    assert "token [redacted]" in result.tail


def test_a_fork_that_comes_back_out_of_the_tool_does_not_answer(sandbox: Sandbox, tmp_path: Path) -> None:
    outcome = run(sandbox, call(tmp_path, "fails", how="comes_back_twice")).outcome
    assert isinstance(outcome, Succeeded)
    assert outcome.summary == "parent"


def test_a_process_that_outlives_its_tool_is_killed_before_the_answer(sandbox: Sandbox, tmp_path: Path) -> None:
    outcome = run(sandbox, call(tmp_path, "fails", how="leaves_a_child")).outcome
    assert isinstance(outcome, Succeeded)
    assert not alive(int(outcome.output["text"]))


def test_an_input_that_breaks_the_model_never_reaches_the_tool(sandbox: Sandbox, tmp_path: Path) -> None:
    outcome = run(sandbox, call(tmp_path, "echoes", word=["no", "word"], other=1)).outcome
    assert isinstance(outcome, Failed)
    assert outcome.kind == "invalid_input"
    assert "word: " in outcome.message
    assert "other: " in outcome.message


def test_an_input_that_is_not_strict_json_is_refused_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        begin(sandbox, call(tmp_path, "echoes", word=float("nan")))


def look(sandbox: Sandbox, workdir: Path, **given: Any) -> tuple[dict[str, Any], ToolResult]:
    result = run(sandbox, replace(call(workdir, "looks", **given), secrets={"TOKEN": "t-123456"}))
    assert isinstance(result.outcome, Succeeded), result
    return result.outcome.output, result


def test_a_tool_sees_its_secrets_and_nothing_of_the_daemons_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    with Sandbox(light(cache=tmp_path / "cache")) as sandbox:
        seen, _ = look(sandbox, tmp_path / "work")
        zygote = Path(f"/proc/{seen['zygote']}/environ").read_text()
    assert seen["secrets"] == {"TOKEN": "t-123456"}
    assert not [text for text in (zygote, seen["environ_file"], str(seen["environment"])) if "hunter2" in text]
    assert not [text for text in (zygote, seen["environ_file"], str(seen["environment"])) if "t-123" in text]


def test_a_tool_works_in_its_own_folder_with_nothing_on_stdin(sandbox: Sandbox, tmp_path: Path) -> None:
    seen, _ = look(sandbox, tmp_path)
    assert [seen["folder"], seen["temporary"], seen["environment"]["HOME"]] == [str(tmp_path)] * 3
    assert seen["stdin"] == ""


def test_nothing_leaks_from_call_to_call(sandbox: Sandbox, tmp_path: Path) -> None:
    first, second = (look(sandbox, tmp_path)[0] for _ in range(2))
    assert first["calls_so_far"] == second["calls_so_far"] == 1
    assert first["pid"] != second["pid"]
    assert first["chance"] != second["chance"]


def test_the_end_of_what_a_tool_prints_is_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    _, result = look(sandbox, tmp_path, noise=20_000)
    assert len(result.tail) <= 4096
    assert result.tail.endswith("noise 19999\nlast words\n")


def test_a_summary_is_one_line(sandbox: Sandbox, tmp_path: Path) -> None:
    seen, result = look(sandbox, tmp_path)
    assert isinstance(result.outcome, Succeeded)
    assert result.outcome.summary == f"process {seen['pid']}"


def test_artifacts_are_those_that_the_output_names(sandbox: Sandbox, tmp_path: Path) -> None:
    _, result = look(sandbox, tmp_path)
    assert isinstance(result.outcome, Succeeded)
    (picture,) = result.outcome.artifacts
    assert (picture.name, picture.size, picture.media_type) == ("picture.png", 10, "image/png")
    assert (tmp_path / "out" / picture.name).stat().st_size == 10


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("has it", Reconciled("found", output={"post": "key-1"}, summary="posted key-1")),
        ("has a part", Reconciled("partial", parts=("picture",))),
        ("does not", Reconciled("not_found")),
        ("is away", Reconciled("cannot_tell", reason="the receiver does not answer")),
    ],
)
def test_reconcile_says_what_the_receiver_says(
    sandbox: Sandbox, tmp_path: Path, receiver: str, expected: Reconciled
) -> None:
    question = replace(call(tmp_path, "posts", receiver=receiver), mode="reconcile", effect_key="key-1")
    assert run(sandbox, question).outcome == expected


def test_a_killed_call_ends_at_once_as_interrupted(sandbox: Sandbox, tmp_path: Path) -> None:
    running, ended = begin(sandbox, call(tmp_path, "hangs", 600.0, how="detaches"))
    assert eventually(lambda: len(list(tmp_path.glob("descendant-*"))) == 2)
    running.kill()
    result = ended.result(timeout=5)
    assert isinstance(result.outcome, Failed)
    assert result.outcome.kind == "interrupted"
    assert not [path for path in tmp_path.glob("descendant-*") if alive(int(path.name[11:]))]
    running.kill()
    assert healthy(sandbox, tmp_path)


def test_a_waiting_worker_that_is_stopped_or_killed_costs_no_call(tmp_path: Path) -> None:
    with Sandbox(light(cache=tmp_path)) as sandbox:
        zygote = look(sandbox, tmp_path)[0]["zygote"]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for spare in children(zygote):
                os.kill(spare, number)
            assert healthy(sandbox, tmp_path)


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def test_the_death_of_the_zygote_ends_its_calls_and_the_next_one_is_healthy(tmp_path: Path) -> None:
    with Sandbox(light(cache=tmp_path)) as sandbox:
        zygote = look(sandbox, tmp_path)[0]["zygote"]
        _, ended = begin(sandbox, call(tmp_path, "hangs", 600.0, how="detaches"))
        assert eventually(lambda: len(list(tmp_path.glob("descendant-*"))) == 2)
        os.kill(zygote, signal.SIGKILL)
        result = ended.result(timeout=10)
        assert isinstance(result.outcome, Failed)
        assert result.outcome.kind == "crashed"
        assert not [path for path in tmp_path.glob("descendant-*") if alive(int(path.name[11:]))]
        assert healthy(sandbox, tmp_path)


def test_a_stopped_zygote_does_not_keep_a_hung_tool_alive(tmp_path: Path) -> None:
    with Sandbox(light(cache=tmp_path)) as sandbox:
        zygote = look(sandbox, tmp_path)[0]["zygote"]
        _, ended = begin(sandbox, call(tmp_path, "hangs", 1.0, how="ignores_sigterm"))
        assert eventually((tmp_path / "pid").exists)
        os.kill(zygote, signal.SIGSTOP)
        result = ended.result(timeout=10)
        assert result.seconds < 2.0
        assert result.pid is not None
        assert not alive(result.pid)
        os.kill(zygote, signal.SIGCONT)


SUPERVISOR = """
import sys, threading
from datetime import UTC, datetime
from pathlib import Path
from daemon.adapters.sandbox.protocol import ToolCall
from daemon.adapters.sandbox.recipe import Recipe
from daemon.adapters.sandbox.runner import Sandbox
rogues, work, timeout = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
sandbox = Sandbox(Recipe(folders=(rogues,), tools=("hangs",), preload=(), cache=Path(work)))
call = ToolCall("1", "hangs", "run", {"how": "detaches"}, work, datetime.now(UTC), timeout)
sandbox.start(call, print)
threading.Event().wait()
"""


@contextmanager
def supervised(workdir: Path, timeout: float) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", SUPERVISOR, str(ROGUES), str(workdir), str(timeout)]
    with subprocess.Popen(command) as daemon:
        try:
            assert eventually(lambda: len(list(workdir.glob("descendant-*"))) == 2)
            yield daemon
        finally:
            daemon.kill()


def family(workdir: Path) -> list[int]:
    names = [int(path.name[11:]) for path in workdir.glob("descendant-*")]
    return [pid for pid in [*names, int((workdir / "pid").read_text())] if alive(pid)]


def test_every_process_dies_with_a_killed_daemon(tmp_path: Path) -> None:
    with supervised(tmp_path, 600.0) as daemon:
        (zygote,) = children(daemon.pid)
    assert eventually(lambda: not family(tmp_path) and not alive(zygote), within=5.0)


def test_a_hung_tool_dies_at_its_deadline_while_the_daemon_is_frozen(tmp_path: Path) -> None:
    with supervised(tmp_path, 2.0) as daemon:
        daemon.send_signal(signal.SIGSTOP)
        assert eventually(lambda: not family(tmp_path), within=4.0)


VERSION = '''"""Say the version."""
from atomic_tools import ToolContext, ToolInput, ToolOutput, tool
class Input(ToolInput):
    "Nothing."
class Output(ToolOutput):
    "The version."
    version: str
    def summary(self) -> str:
        return self.version
@tool()
def version(request: Input, context: ToolContext) -> Output:
    if "{0}" == "slow":
        (context.workdir / "began").touch()
        while not (context.workdir / "go").exists():
            pass
    return Output(version="{0}")
'''


def write_version(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "version.py").write_text(VERSION.replace("{0}", text))


def summary(result: ToolResult) -> str:
    assert isinstance(result.outcome, Succeeded), result
    return result.outcome.summary


def test_after_a_reload_only_new_code_runs_and_a_call_in_flight_ends_on_its_own(tmp_path: Path) -> None:
    write_version(tmp_path / "tools", "slow")
    recipe = light(tmp_path / "tools", tools=("version",), cache=tmp_path)
    with Sandbox(recipe) as sandbox:
        _, old = begin(sandbox, call(tmp_path, "version"))
        assert eventually((tmp_path / "began").exists)
        write_version(tmp_path / "tools", "a new one")
        sandbox.reload()
        assert [summary(run(sandbox, call(tmp_path, "version"))) for _ in range(3)] == ["a new one"] * 3
        (tmp_path / "go").touch()
        assert summary(old.result(timeout=10)) == "slow"


def test_code_that_changed_after_it_was_described_is_refused(tmp_path: Path) -> None:
    write_version(tmp_path / "tools", "one")
    digest = discover([tmp_path / "tools"]).tools["version"].digest
    write_version(tmp_path / "tools", "another")
    with Sandbox(light(tmp_path / "tools", tools=("version",), cache=tmp_path)) as sandbox:
        outcome = run(sandbox, replace(call(tmp_path, "version"), digest=digest)).outcome
        assert isinstance(outcome, Failed)
        assert outcome.kind == "misconfigured"
        fresh = discover([tmp_path / "tools"]).tools["version"].digest
        assert summary(run(sandbox, replace(call(tmp_path, "version"), digest=fresh))) == "another"


@pytest.mark.parametrize("body", ["import os; os._exit(3)", "raise SystemExit", "import nothing_like_this"])
def test_a_module_that_breaks_at_import_blocks_only_itself(tmp_path: Path, body: str) -> None:
    folder = tmp_path / "tools"
    write_version(folder, "fine")
    (folder / "broken.py").write_text(body)
    with Sandbox(light(folder, tools=("broken", "version"), cache=tmp_path)) as sandbox:
        assert summary(run(sandbox, call(tmp_path, "version"))) == "fine"
        outcome = run(sandbox, call(tmp_path, "broken")).outcome
        assert isinstance(outcome, Failed)
        assert outcome.kind == "crashed"


def test_an_input_larger_than_any_socket_buffer_arrives_whole(sandbox: Sandbox, tmp_path: Path) -> None:
    large = replace(call(tmp_path, "echoes", word="x" * (3 << 20)), limits=Limits(output=4 << 20))
    outcome = run(sandbox, large).outcome
    assert isinstance(outcome, Succeeded)
    assert len(outcome.output["word"]) == 3 << 20


def test_fifty_calls_at_once_all_come_back(sandbox: Sandbox, tmp_path: Path) -> None:
    words = [f"word-{number}" for number in range(50)]
    ended = [begin(sandbox, call(tmp_path, "echoes", word=word))[1] for word in words]
    assert [summary(future.result(timeout=60)) for future in ended] == words


def test_a_sandbox_that_cannot_start_says_why_and_the_tool_never_began(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file where a folder should be")
    with Sandbox(light(cache=blocked), ready_within=0.5) as sandbox:
        outcome = run(sandbox, call(tmp_path, "echoes", word="x")).outcome
    assert isinstance(outcome, Failed)
    assert outcome.kind == "transient"
    assert "cannot start" in outcome.message


def test_closing_ends_every_call_and_every_process(tmp_path: Path) -> None:
    sandbox = Sandbox(light(cache=tmp_path))
    zygote = look(sandbox, tmp_path)[0]["zygote"]
    _, ended = begin(sandbox, call(tmp_path, "hangs", 600.0, how="detaches"))
    assert eventually(lambda: len(list(tmp_path.glob("descendant-*"))) == 2)
    sandbox.close()
    outcome = ended.result(timeout=0).outcome
    assert isinstance(outcome, Failed)
    assert outcome.kind == "interrupted"
    assert not [pid for pid in [zygote, *family(tmp_path)] if alive(pid)]
    with pytest.raises(SandboxClosedError):
        begin(sandbox, call(tmp_path, "echoes", word="x"))


def test_the_zygote_stays_single_threaded_with_every_library_loaded(tmp_path: Path) -> None:
    with Sandbox(Recipe(folders=(ROGUES,), tools=("looks",), cache=tmp_path), ready_within=100) as sandbox:
        zygote = look(sandbox, tmp_path)[0]["zygote"]
        assert len(list(Path(f"/proc/{zygote}/task").iterdir())) == 1
        assert list((tmp_path / "matplotlib").glob("fontlist*"))


def test_a_listener_that_fails_harms_no_other_call(sandbox: Sandbox, tmp_path: Path) -> None:
    def fail(_: ToolResult) -> None:
        raise ZeroDivisionError

    sandbox.start(call(tmp_path, "echoes", word="x"), fail)
    assert healthy(sandbox, tmp_path)
