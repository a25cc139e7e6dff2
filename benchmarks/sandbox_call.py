"""What the sandbox costs: a trivial tool bare, over a bare pipe, through a waiting worker; then every kill.

Run `python benchmarks/sandbox_call.py [CALLS]`; prints a table, writes benchmarks/results/sandbox_call.json.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue

from atomic_tools import ToolContext
from daemon.adapters.sandbox import toolbox
from daemon.adapters.sandbox.protocol import ToolCall, ToolResult
from daemon.adapters.sandbox.recipe import Recipe
from daemon.adapters.sandbox.runner import Sandbox

RESULTS = Path(__file__).parent / "results" / "sandbox_call.json"
ROGUES = Path(__file__).parents[1] / "tests" / "integration" / "rogue_tools"
HANGS = (
    "sleeps",
    "spins",
    "waits_on_socket",
    "holds_the_gil",
    "ignores_sigterm",
    "swallows_everything",
    "stops_itself",
    "detaches",
)
GAP = 0.1
"""Seconds between calls: enough for the next spare to be there even on a busy machine."""


def bare(calls: int, workdir: Path) -> list[float]:
    """The tool's function called as a function, its input made anew each time."""
    tool = toolbox.load("echoes")
    context = ToolContext(workdir, datetime.now(UTC))
    return [_timed(lambda: tool(tool.input_type.model_validate({"word": "x"}), context)) for _ in range(calls)]


def pipe(calls: int) -> list[float]:
    """One byte to a waiting child and back."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        while data := theirs.recv(64):
            theirs.sendall(data)
        os._exit(0)
    theirs.close()
    with ours:
        times = [_timed(lambda: _ping(ours), pause=GAP / 20) for _ in range(calls)]
    os.wait()
    return times


def _ping(channel: socket.socket) -> None:
    channel.sendall(b"x")
    channel.recv(64)


def sandboxed(sandbox: Sandbox, calls: int, workdir: Path) -> list[float]:
    """The tool through the sandbox, a spare worker waiting each time."""
    return [_timed(lambda: run(sandbox, workdir, {"word": "x"}, 10.0), pause=GAP) for _ in range(calls)]


def killed(sandbox: Sandbox, workdir: Path, name: str) -> float:
    """Seconds from the deadline of a hung tool to the end of its whole tree."""
    result = run(sandbox, workdir, {"how": name}, 0.3)
    assert getattr(result.outcome, "kind", None) == "timeout", result
    return result.seconds - 0.3


def run(sandbox: Sandbox, workdir: Path, given: dict[str, str], timeout: float) -> ToolResult:
    """One call, waited for."""
    ended: SimpleQueue[ToolResult] = SimpleQueue()
    deadline = datetime.now(UTC) + timedelta(seconds=timeout)
    name = "hangs" if "how" in given else "echoes"
    sandbox.start(ToolCall(name, name, "run", given, str(workdir), deadline, timeout), ended.put)
    return ended.get(timeout=60)


def _timed(action: Callable[[], object], pause: float = 0.0) -> float:
    time.sleep(pause)
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3


def _cpu_of_zygote_family() -> float:
    """CPU seconds of this process and of every ended descendant of its zygote."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    total = own.ru_utime + own.ru_stime
    ticks = os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = stat.read_text().rpartition(")")[2].split()
        if int(fields[1]) == os.getpid():
            total += sum(map(int, fields[11:15])) / ticks
    return total


@contextmanager
def warm_sandbox(workdir: Path) -> Iterator[tuple[Sandbox, float]]:
    """A sandbox with all libraries loaded, and the milliseconds until its first answer."""
    began = time.perf_counter()
    with Sandbox(Recipe(folders=(ROGUES,), tools=("echoes", "hangs"))) as sandbox:
        run(sandbox, workdir, {"word": "x"}, 60.0)
        yield sandbox, (time.perf_counter() - began) * 1e3


def measure(calls: int) -> dict[str, float]:
    """Every figure in milliseconds."""
    toolbox.open_folders([ROGUES])
    with tempfile.TemporaryDirectory() as folder, warm_sandbox(Path(folder)) as (sandbox, ready):
        workdir = Path(folder)
        figures = _spread("bare function", bare(calls, workdir)) | _spread("bare pipe", pipe(calls))
        before = _cpu_of_zygote_family()
        figures |= _spread("sandbox", sandboxed(sandbox, calls, workdir))
        figures["CPU per call"] = (_cpu_of_zygote_family() - before) / calls * 1e3
        figures["above the bare function"] = figures["sandbox p50"] - figures["bare function p50"]
        figures["zygote ready, libraries loaded"] = ready
        for name in HANGS:
            figures[f"kill: {name}"] = max(killed(sandbox, workdir, name) for _ in range(3)) * 1e3
    return figures


def _spread(name: str, times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {f"{name} p10": cuts[9], f"{name} p50": statistics.median(times), f"{name} p99": cuts[98]}


def main() -> None:
    """Measure, print, write."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    figures = measure(calls)
    for name, value in figures.items():
        print(f"{name:32} {value:10.3f} ms")
    report = {"calls": calls, "python": platform.python_version(), "load": os.getloadavg()[0], "ms": figures}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
