"""A one-second job on several daemons, one frozen again and again. `python -m benchmarks.every_second [SECONDS]`

Ten minutes without a number. Two daemons on a SQLite file; with a PostgreSQL address in CLOCKWRIGHT_BENCH_DATABASE
(an empty database) three more on that, at the same time. Prints how many instants had exactly one run each.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.system.kill.every_second import FROZEN_SECONDS, Fleet
from tests.system.kill.stand import Stand


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    with tempfile.TemporaryDirectory() as folder:
        fleets = [Fleet(Stand(Path(folder) / "sqlite"), 2)]
        if address := os.environ.get("CLOCKWRIGHT_BENCH_DATABASE"):
            fleets.append(Fleet(Stand(Path(folder) / "postgresql", address), 3))
        try:
            for fleet in fleets:
                fleet.start()
            _live(fleets, seconds)
        finally:
            for fleet in fleets:
                fleet.end()
        broken = [f"{fleet.stand.folder.name}: {what}" for fleet in fleets for what in fleet.violations()]
        for fleet in fleets:
            print(f"{fleet.stand.folder.name}: {fleet.instants} instants, {fleet.stand.takeovers} leaders")
    print("\n".join(broken) or "exactly one run for every instant")
    return 1 if broken else 0


def _live(fleets: list[Fleet], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(5.0)
        for fleet in fleets:
            fleet.freeze()
        time.sleep(FROZEN_SECONDS)
        for fleet in fleets:
            fleet.wake()
        time.sleep(5.0)


if __name__ == "__main__":
    sys.exit(main())
