"""The full counts: real kills and simulated histories. `python -m benchmarks.soak --kills 1000 --histories 1000000`.

Hours. Writes commit, seed, counts and failures to benchmarks/results/soak-COMMIT.json, also when it is interrupted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from daemon.testing.simulator import failing
from tests.system.kill.soak import soak

RESULTS = Path(__file__).parent / "results"
BATCH = 10_000


@dataclass
class Result:
    """What was tried, and what broke."""

    commit: str
    seed: int
    began: str
    kills: int = 0
    kill_histories: int = 0
    kill_seconds: float = 0.0
    simulated: int = 0
    simulated_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    def write(self) -> Path:
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"soak-{self.commit[:12]}.json"
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")
        return path


def kill(result: Result, kills: int) -> None:
    began = time.monotonic()
    result.kills, result.kill_histories, broken = soak(kills, result.seed)
    result.failures += broken
    result.kill_seconds = round(time.monotonic() - began, 1)


def simulate(result: Result, histories: int) -> None:
    """Every seed from the first one on; a failing one is kept and the next ones are tried all the same."""
    began, seed, end = time.monotonic(), result.seed, result.seed + histories
    while seed < end:
        broken = failing(range(seed, min(seed + BATCH, end)))
        if broken is not None:
            result.failures.append(broken.verdict())
        seed = broken.seed + 1 if broken else min(seed + BATCH, end)
        result.simulated = seed - result.seed
        result.simulated_seconds = round(time.monotonic() - began, 1)
        result.write()
        print(f"{result.simulated} histories, {result.simulated / result.simulated_seconds:.0f}/s", flush=True)


def _commit() -> str:
    told = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S607
    return told.stdout.strip() or "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--histories", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    result = Result(_commit(), options.seed, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        kill(result, options.kills)
        simulate(result, options.histories)
    finally:
        print(f"written to {result.write()}")
    print(f"{result.kills} kills, {result.simulated} simulated histories, {len(result.failures)} failures")
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
