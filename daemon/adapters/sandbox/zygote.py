"""The zygote: loads libraries and tools once, forks single-use workers, and kills whatever they leave behind.

Run as `python -m daemon.adapters.sandbox.zygote FD RECIPE`, FD being its end of the control socket and RECIPE
the JSON of what to load. Single-threaded for good: a fork of a process with threads may hang on a lock.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from atomic_tools._contract import Tool
from daemon.adapters.sandbox import digest, frames, linux, toolbox
from daemon.adapters.sandbox.worker import Known, live

_HOLD = 0.5
"""Seconds that the report of a dead worker waits for its orphans to be dead too."""


class Zygote:
    """The process that owns all workers of one generation; `control` carries one packet a message."""

    def __init__(self, control: socket.socket, known: Known) -> None:
        self._control = control
        self._known = known
        self._workers: set[int] = set()
        self._ended: dict[int, int] = {}
        self._hold_until = 0.0

    def run(self) -> None:
        """Serve until the supervisor is gone; then take every descendant along."""
        wakeup = _wake_on_child()
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ, self._on_control)
            selector.register(wakeup, selectors.EVENT_READ, lambda: bool(wakeup.recv(4096)))
            self._report()
            while all(key.data() for key, _ in selector.select(_HOLD if self._ended else None)):
                self._bury()
        linux.kill_children(within=5.0)

    def _on_control(self) -> bool:
        """Fork as many workers as a packet asks for; False at the end of the supervisor."""
        try:
            packet = self._control.recv(1 << 16)
        except ConnectionResetError:
            return False
        for _ in range(frames.loads(packet)["spawn"] if packet else 0):
            try:
                self._fork()
            except OSError as error:  # no process, file or memory to be had now; the supervisor asks again
                send(self._control, {"refused": str(error)})
        return bool(packet)

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        tail_out, tail_in = os.pipe()
        zygote, pid = os.getpid(), os.fork()
        if pid == 0:
            self._become_worker(zygote, theirs, tail_in)
        self._workers.add(pid)
        handle = os.pidfd_open(pid)
        with contextlib.suppress(OSError):  # the supervisor is gone: the next look at the socket says so
            socket.send_fds(self._control, [frames.dumps({"worker": pid})], [ours.fileno(), tail_out, handle])
        ours.close()
        theirs.close()
        for descriptor in (tail_out, tail_in, handle):
            os.close(descriptor)

    def _become_worker(self, zygote: int, channel: socket.socket, tail: int) -> NoReturn:
        try:
            self._control.close()
            live(channel, tail, zygote, self._known)
        finally:
            os._exit(1)

    def _bury(self) -> None:
        """Reap the dead and kill their orphans; a worker is reported only when both is done."""
        for pid, status in linux.reap().items():
            if pid in self._workers:
                self._workers.discard(pid)
                self._ended[pid] = status
                self._hold_until = linux.now() + _HOLD
        if self._ended and (not self._kill_strays() or linux.now() >= self._hold_until):
            self._report()

    def _kill_strays(self) -> set[int]:
        strays = linux.children() - self._workers
        for pid in strays:
            linux.kill(pid)
        return strays

    def _report(self) -> None:
        while self._ended:
            pid, status = self._ended.popitem()
            send(self._control, {"exit": pid, "status": status})


def send(control: socket.socket, message: dict[str, Any]) -> None:
    """One packet to the supervisor, who may be gone."""
    with contextlib.suppress(OSError):
        control.send(frames.dumps(message))


def _wake_on_child() -> socket.socket:
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):  # the daemon drains; its end is our end
        signal.signal(number, signal.SIG_IGN)
    signal.set_wakeup_fd(writer.detach())
    return reader


def _load(control: socket.socket, modules: Sequence[str], loader: Callable[[str], object]) -> None:
    """Import what can be imported; the supervisor hears each name first, so that it knows who hung."""
    for name in modules:
        send(control, {"loading": name})
        try:
            loader(name)
        except BaseException as error:  # noqa: BLE001 - a broken module blocks its own calls, not the zygote
            send(control, {"broken": name, "message": f"{type(error).__name__}: {error}"[:500]})


def _learn(known: dict[str, tuple[Tool, str]], name: str) -> None:
    """Load a tool; its digest is taken first: a file changed meanwhile cannot pass for what was described."""
    digest_before = digest.of_tool(name, toolbox.folders())
    known[name] = (toolbox.load(name), digest_before)


def main(descriptor: str, recipe_text: str) -> None:
    """Load what the recipe names, then serve the supervisor at the other end of `descriptor`."""
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    linux.die_with_parent(os.getppid())
    linux.adopt_orphans()
    recipe = frames.loads(recipe_text.encode())
    toolbox.open_folders(recipe["folders"])
    known: dict[str, tuple[Tool, str]] = {}
    _load(control, recipe["preload"], importlib.import_module)
    _load(control, recipe["tools"], partial(_learn, known))
    gc.collect()
    gc.freeze()
    linux.rename("clockwright-zyg")
    linux.outlive_parent()
    send(control, {"ready": os.getpid()})
    Zygote(control, known).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
