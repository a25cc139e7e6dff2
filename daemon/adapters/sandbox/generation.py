"""The supervisor's end of one zygote."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections import deque
from typing import Any
from uuid import uuid4

from daemon.adapters.sandbox import environment, frames, linux
from daemon.adapters.sandbox.handle import Tail, WorkerHandle
from daemon.adapters.sandbox.recipe import Recipe

_MODULE = "daemon.adapters.sandbox.zygote"


class Generation:
    """A zygote process, the workers that it made, and what it still owes."""

    def __init__(self, recipe: Recipe, without: frozenset[str]) -> None:
        self.recipe = recipe
        self.spares: deque[WorkerHandle] = deque()
        self.workers: dict[int, WorkerHandle] = {}
        self.ready = False
        self.retired = False
        self.loading: str | None = None
        self.owed = 0
        self._marker = uuid4().hex
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._process = self._begin(theirs, frames.dumps(recipe.to_json(without)).decode())
            except OSError:
                self.control.close()
                raise
        self.control.setblocking(False)
        assert self._process.stderr is not None  # noqa: S101 - we have just asked for the pipe
        self.errors = Tail(self._process.stderr.fileno())

    def _begin(self, theirs: socket.socket, recipe: str) -> subprocess.Popen[bytes]:
        self.recipe.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        return subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE, str(theirs.fileno()), recipe],
            env=environment.for_zygote(self.recipe.cache, self._marker),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def want(self, count: int) -> None:
        """Ask for as many workers as are missing to have `count` waiting."""
        missing = count - len(self.spares) - self.owed
        if self.ready and missing > 0:
            self.owed += missing
            with contextlib.suppress(OSError):  # it has just died: the end of the socket says so
                self.control.send(frames.dumps({"spawn": missing}))

    def receive(self) -> tuple[dict[str, Any], list[int]] | None:
        """The next message with its descriptors; None at its end. Raises BlockingIOError when idle."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 16, 3, socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:
            return None
        return (frames.loads(data), descriptors) if data else None

    def adopt(self, pid: int, descriptors: list[int]) -> WorkerHandle:
        """A worker that was asked for has come."""
        self.owed = max(0, self.owed - 1)
        worker = WorkerHandle(pid, *descriptors)
        self.workers[pid] = worker
        self.spares.append(worker)
        return worker

    def dismiss(self) -> None:
        """Have the zygote end by itself; the end of the control socket follows."""
        with contextlib.suppress(OSError):  # it was faster
            self.control.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """End a zygote that does not answer; the end of the control socket follows."""
        self._process.kill()

    def bury(self) -> None:
        """End the zygote and everything that descends from it, whatever state it is in."""
        self._process.kill()
        self._process.wait()
        linux.kill_marked(self._marker)
        self.errors.drain()
        self.control.close()
        self._process.stderr.close()  # type: ignore[union-attr]  # it is a pipe, see __init__
