"""How a fork of the zygote becomes a worker that leaks nothing in and keeps nothing of the zygote."""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import signal
import sys
import tempfile
from pathlib import Path

from daemon.adapters.sandbox import environment, linux
from daemon.adapters.sandbox.protocol import Limits, ToolCall

_PAGE = resource.getpagesize()


def settle(zygote: int, tail: int) -> None:
    """Everything that does not depend on the call; done while the worker waits, so no call pays for it."""
    os.setsid()
    linux.die_with_parent(zygote)
    linux.adopt_orphans()
    _default_signals()
    _standard_streams(tail)
    faulthandler.enable()
    _reseed()
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allowed = environment.for_worker(os.environ)
    os.environ.clear()
    os.environ.update(allowed)


def enter(call: ToolCall) -> None:
    """What only the call can say: folder and limits. Kept short, for every call waits for it."""
    try:
        os.chdir(call.workdir)
    except FileNotFoundError:
        Path(call.workdir).mkdir(parents=True)
        os.chdir(call.workdir)
    os.environ["HOME"] = os.environ["TMPDIR"] = call.workdir
    tempfile.tempdir = None
    linux.rename(call.tool)
    limit(call.limits)


def limit(limits: Limits) -> None:
    """Bound memory (on top of what the fresh worker holds), open files and file size."""
    with open("/proc/self/statm", "rb", buffering=0) as stream:  # noqa: PTH123 - a call waits for this
        held = int(stream.read().split()[5]) * _PAGE
    _soft(resource.RLIMIT_DATA, held + limits.memory)
    _soft(resource.RLIMIT_NOFILE, limits.open_files)
    _soft(resource.RLIMIT_FSIZE, limits.file_size)


def lift_memory_limit() -> None:
    """Room to say that memory ran out."""
    resource.setrlimit(resource.RLIMIT_DATA, (resource.getrlimit(resource.RLIMIT_DATA)[1],) * 2)


def _soft(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (bound, hard))


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _standard_streams(tail: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(tail, 1)
    os.dup2(tail, 2)
    os.close(nothing)
    os.close(tail)
    sys.stdout = open(1, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115 - fd
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115 - fd


def _reseed() -> None:
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
