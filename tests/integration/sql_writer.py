"""A process that writes to a store until it is killed or done: `sql_writer.py ADDRESS RUN [COMMITS]`.

Prints the version of its run after every commit that has returned.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count

from daemon.adapters.sql import open_store
from daemon.domain.events import RunClaimed
from daemon.ports import Birth
from tests.builders import T0, a_change, a_run


def main(address: str, name: str, commits: int | None = None) -> None:
    store = open_store(address)
    store.create([Birth(a_run(name, job=name))])
    run = store.claim(name, "writer")
    for number in range(commits) if commits is not None else count():
        step = replace(run.steps["query"], output={"number": number, "rows": "x" * 500})
        change = a_change(run, RunClaimed(T0, "writer", number), step=step)
        store.commit(change)
        run = change.after
        print(run.version, flush=True)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
