"""Victims by the hundred: each is a process of its own, forked from a server that has imported everything once."""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

VICTIM = "tests.system.kill.victim"


def start(mode: str, folder: Path, strike: str) -> ForkServerProcess:
    """A victim whose exit code is negative where a signal ended it; its log is beside its configuration."""
    process = _context().Process(target=_live, args=(mode, str(folder), strike))
    process.start()
    return process


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([VICTIM])
    return context


def _live(mode: str, folder: str, strike: str) -> None:
    from tests.system.kill.victim import main

    log = os.open(Path(folder) / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.exit(main(mode, f"{folder}/config", strike))
