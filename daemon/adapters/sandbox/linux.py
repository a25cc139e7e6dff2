"""The kernel calls that Python does not offer: dying with a parent, adopting orphans, a timer that kills."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_CLOCK_BOOTTIME = 7

_libc = ctypes.CDLL(None, use_errno=True)


def now() -> float:
    """Seconds on the clock that never steps and counts suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _prctl(option: int, value: int | bytes) -> None:
    argument = ctypes.c_char_p(value) if isinstance(value, bytes) else ctypes.c_ulong(value)
    _checked(_libc.prctl(option, argument, 0, 0, 0), f"prctl({option})")


def _checked(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` dies, and at once when that has already happened."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def outlive_parent() -> None:
    """Take `die_with_parent` back."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, whatever session it has put itself in."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def rename(name: str) -> None:
    """What `ps` and `top` show for this process (15 bytes)."""
    _prctl(_PR_SET_NAME, name.encode()[:15])


class _SignalEvent(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("padding", ctypes.c_char * 48),
    )


class _TimerSpec(ctypes.Structure):
    _fields_ = (
        ("interval_seconds", ctypes.c_long),
        ("interval_nanoseconds", ctypes.c_long),
        ("seconds", ctypes.c_long),
        ("nanoseconds", ctypes.c_long),
    )


class DeathTimer:
    """A kernel timer that kills this process, suspend included; no code in the process can prevent that.

    It needs nobody else and so holds while the daemon is frozen. Not inherited by children.
    """

    def __init__(self) -> None:
        self._timer = ctypes.c_void_p()
        event = ctypes.byref(_SignalEvent(signo=signal.SIGKILL))
        _checked(_libc.timer_create(_CLOCK_BOOTTIME, event, ctypes.byref(self._timer)), "timer_create")

    def set(self, seconds: float) -> None:
        """Kill in `seconds`; 0 for never."""
        whole = int(seconds)
        spec = _TimerSpec(seconds=whole, nanoseconds=int((seconds - whole) * 1e9))
        _checked(_libc.timer_settime(self._timer, 0, ctypes.byref(spec), None), "timer_settime")


def children() -> set[int]:
    """The process ids of all children of this process, those that it adopted and zombies included."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a thread that has just ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Signal one process that may already be gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def reap() -> dict[int, int]:
    """The wait statuses of all children that have ended, by process id."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = status
    return ended


def kill_children(within: float = 1.0) -> bool:
    """Kill every descendant, however deep: each death hands the next layer to us. True when none is left."""
    give_up = now() + within
    while now() < give_up:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                for pid in children():
                    kill(pid)
                time.sleep(0.001)
        except ChildProcessError:
            return True
    return False


def kill_marked(marker: str, within: float = 0.5) -> None:
    """Kill every process that was started with `marker` in its environment, and see them end."""
    give_up, killed = now() + within, set[int]()
    while now() < give_up:
        found = set(_marked(marker.encode()))
        for pid in found:
            kill(pid)
        killed |= found
        if not found and not any(map(_alive, killed)):
            return


def _marked(needle: bytes) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and needle in _environment(folder):
            yield int(folder.name)


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it ended, or it is another user's and so none of ours
        return b""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False
