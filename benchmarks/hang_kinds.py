"""How long after its deadline a hung tool is gone, with everything it started, for every way to hang.

`python -m benchmarks.hang_kinds [ROUNDS]`; prints seconds past the deadline; the budget is 1.0 s.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue

from benchmarks.sandbox_call import HANGS, ROGUES
from daemon.adapters.sandbox.protocol import Failed, ToolCall, ToolResult
from daemon.adapters.sandbox.recipe import Recipe
from daemon.adapters.sandbox.runner import Sandbox

TIMEOUT = 0.5
BUDGET = 1.0


def past_deadline(sandbox: Sandbox, how: str, number: int) -> float:
    """Seconds from the deadline to the outcome; by then nobody of the call may live."""
    ends: SimpleQueue[ToolResult] = SimpleQueue()
    workdir = Path(tempfile.mkdtemp())
    call = ToolCall(
        f"{how}-{number}",
        "hangs",
        "run",
        {"how": how},
        str(workdir),
        datetime.now(UTC) + timedelta(seconds=TIMEOUT),
        TIMEOUT,
    )
    sandbox.start(call, ends.put)
    result = ends.get(timeout=60)
    over = max(0.0, time.time() - call.deadline.timestamp())
    assert isinstance(result.outcome, Failed), f"{how}: a late result was taken"
    alive = [path.name for path in workdir.glob("descendant-*") if _lives(int(path.name.partition("-")[2]))]
    assert not alive, f"{how}: {alive} outlived the call"
    return over


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def main(rounds: int) -> int:
    slow = []
    with tempfile.TemporaryDirectory() as cache:
        recipe = Recipe(folders=(ROGUES,), tools=("hangs",), preload=(), cache=Path(cache))
        with Sandbox(recipe) as sandbox:
            past_deadline(sandbox, HANGS[0], -1)  # the first call waits for the zygote as well
            for how in HANGS:
                seconds = sorted(past_deadline(sandbox, how, number) for number in range(rounds))
                print(f"{how:20} median {seconds[len(seconds) // 2]:.3f} s   most {seconds[-1]:.3f} s", flush=True)
                slow += [how] if seconds[-1] > BUDGET else []
    print(f"budget {BUDGET:g} s: {'all kept it' if not slow else 'missed by ' + ', '.join(slow)}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
