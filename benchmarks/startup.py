"""What starting costs: `--help` beside bare Python, an idle daemon's memory, a new demo and a second one.

Run `python -m benchmarks.startup [REPEATS]`; prints a table, writes benchmarks/results/startup.json. The budgets
are for a quiet machine: each figure comes with the load and, for processes, with CPU seconds beside wall seconds.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "startup.json"
COMMAND = (sys.executable, "-m", "daemon")
HEAVY = ("pandas", "matplotlib", "openai", "pyarrow")
SETTLED = 20.0
"""Seconds after which a daemon that has nothing to do is idle."""
JOB = """
id: nightly
goal: Waits for its hour.
timezone: UTC
schedule: {cron: "0 3 * * *"}
steps: [{id: post, use: slack_send_message, with: {channel: "#a", text: b, outbox: /tmp/never}}]
"""


def timed(arguments: tuple[str, ...]) -> tuple[float, float]:
    """Wall and CPU seconds of a process and its children."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def middle(arguments: tuple[str, ...], repeats: int) -> dict[str, float]:
    pairs = [timed(arguments) for _ in range(repeats)]
    walls, processors = zip(*pairs, strict=True)
    return {"wall": round(statistics.median(walls), 3), "cpu": round(statistics.median(processors), 3)}


def idle(folder: Path, port: str) -> dict[str, Any]:
    """Resident megabytes of a daemon that waits for its hour, and which heavy libraries are mapped into it."""
    (folder / "jobs").mkdir(parents=True)
    (folder / "clockwright.yaml").write_text(f"state: state\nhttp: {{port: {port}}}\n")
    (folder / "jobs" / "nightly.yaml").write_text(JOB)
    daemon = subprocess.Popen([*COMMAND, "--config", str(folder), "serve"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(SETTLED)
        busy = _processor_seconds(daemon.pid)
        time.sleep(SETTLED)
        busy = _processor_seconds(daemon.pid) - busy
        status = Path(f"/proc/{daemon.pid}/status").read_text().split("VmRSS:")[1]
        maps = Path(f"/proc/{daemon.pid}/maps").read_text()
    finally:
        daemon.terminate()
        daemon.wait()
    return {
        "rss_mb": round(int(status.split()[0]) / 1024, 1),
        "cpu_percent": round(100 * busy / SETTLED, 2),
        "mapped": [name for name in HEAVY if f"/{name}/" in maps],
    }


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(repeats: int) -> dict[str, Any]:
    bare, help_ = middle((sys.executable, "-c", "pass"), repeats), middle((*COMMAND, "--help"), repeats)
    with tempfile.TemporaryDirectory() as scratch:
        demo = (*COMMAND, "demo", "--folder", f"{scratch}/warm-up")
        timed(demo)
        fresh = [middle((*demo[:-1], f"{scratch}/demo{n}"), 1) for n in range(3)]
        return {
            "load": round(os.getloadavg()[0], 2),
            "bare_python": bare,
            "help": help_ | {"ratio": round(help_["wall"] / bare["wall"], 1), "budget": 0.4},
            "demo": min(fresh, key=lambda each: each["wall"]) | {"budget": 3.0},
            "demo_again": middle(demo, 3),
            "idle_daemon": idle(Path(scratch) / "config", "null") | {"budget_mb": 90},
            "idle_with_page": idle(Path(scratch) / "paged", "8479") | {"budget_mb": 160},
        }


if __name__ == "__main__":
    figures = main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    for name, value in figures.items():
        print(f"{name:12} {value}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
