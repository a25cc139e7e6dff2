"""Kills by the hundred: `python -m tests.system.kill.soak --kills 1000 --seed 1 --store sqlite`.

Histories run side by side, each over its own state; the first thing that breaks an invariant is printed with its seed
and everything of it is left in its folder.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from pathlib import Path

from tests.system.kill.history import Verdict, play

SIDE_BY_SIDE = 3


def histories(
    kills: int, first: int, folder: Path, database: Callable[[], str] = str, side_by_side: int = SIDE_BY_SIDE
) -> Iterator[Verdict]:
    """Histories until that many processes have been killed; those under way are finished."""
    seeds, done = count(first), 0
    flying: set[Future[Verdict]] = set()
    with ThreadPoolExecutor(side_by_side) as pool:
        while flying or done < kills:
            while done < kills and len(flying) < side_by_side:
                flying.add(pool.submit(_one, next(seeds), folder, database))
            ended, flying = wait(flying, return_when=FIRST_COMPLETED)
            for future in ended:
                done += future.result().kills
                yield future.result()


def _one(seed: int, folder: Path, database: Callable[[], str]) -> Verdict:
    """What is known of the tools is handed on from history to history."""
    own, cache = folder / str(seed), folder / "tools.json"
    own.mkdir(parents=True)
    verdict = play(seed, own, database(), cache)
    known = own / "state" / "tools.json"
    if known.exists() and not cache.exists():
        shutil.copyfile(known, folder / f"tools.{seed}")
        (folder / f"tools.{seed}").rename(cache)
    if not verdict.violations:
        shutil.rmtree(own, ignore_errors=True)
    return verdict


def soak(kills: int, first: int, database: Callable[[], str] = str) -> tuple[int, int, list[str]]:
    """Kills made, histories played, and what broke."""
    folder = Path(tempfile.mkdtemp(prefix="clockwright-kills-"))
    made, played, broken = 0, 0, []
    for verdict in histories(kills, first, folder, database):
        made, played = made + verdict.kills, played + 1
        if verdict.violations:
            broken.append(f"{verdict} (see {folder / str(verdict.seed)})")
            print(broken[-1], flush=True)
        if played % 25 == 0:
            print(f"{made} kills in {played} histories, {len(broken)} broken", flush=True)
    if not broken:
        shutil.rmtree(folder, ignore_errors=True)
    return made, played, broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made, played, broken = soak(options.kills, options.seed)
    print(f"{made} kills in {played} histories from seed {options.seed}: {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
