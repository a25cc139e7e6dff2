"""Every benchmark in turn: `python -m benchmarks`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOT_A_BENCHMARK = {"__init__", "__main__", "soak", "peers"}
"""Hours, or a download of other people's programs."""


def main() -> int:
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NOT_A_BENCHMARK)
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
