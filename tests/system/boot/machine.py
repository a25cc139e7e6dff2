"""A machine of its own with systemd: `systemd-nspawn` over an overlay of this one. Nothing written inside survives."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
UNIT = "clockwright"


class CannotBoot(Exception):
    """This machine does not allow it."""


@dataclass(frozen=True)
class Machine:
    root: Path
    leader: int

    def run(self, *command: str, within: float = 60.0) -> tuple[int, str]:
        """Exit status, and what it said."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.leader), "-a", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=within,
        )
        return done.returncode, (done.stdout + done.stderr).strip()

    def show(self, name: str, unit: str = UNIT) -> str:
        return self.run("systemctl", "show", unit, "--value", "-p", name)[1]

    def journal(self, unit: str = UNIT) -> str:
        return self.run("journalctl", "-u", unit, "--no-pager", "-o", "cat")[1]

    def until(self, happened: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < end, f"{what} did not happen:\n{self.journal()}"
            time.sleep(0.1)


@contextmanager
def booted(furnish: Callable[[Path], None]) -> Iterator[Machine]:
    """Up and running; `furnish` puts into its root what it needs. Raises CannotBoot."""
    with ExitStack() as stack:
        root = _overlay(stack)
        furnish(root)
        groups = _groups(stack)
        process = stack.enter_context(_process(root, groups))
        leader = _leader(process)
        machine = Machine(root, leader)
        machine.until(lambda: machine.run("systemctl", "is-system-running")[1] in {"running", "degraded"}, "the boot")
        # nspawn lays a boot id of its own over the kernel's; a unit with a /proc/sys of its own would not see that one.
        machine.run("umount", "/proc/sys/kernel/random/boot_id")
        stack.callback(process.wait, 30)
        stack.callback(os.kill, leader, signal.SIGRTMIN + 4)  # power off, without a process in a namespace that ends
        yield machine


def _overlay(stack: ExitStack) -> Path:
    """The root folder of this machine, with a memory file system over it."""
    if os.geteuid() != 0 or not shutil.which("systemd-nspawn"):
        raise CannotBoot("it takes root and systemd-nspawn (Debian's systemd-container)")
    base = Path(tempfile.mkdtemp(prefix="clockwright-boot-"))
    stack.callback(base.rmdir)
    _mount(stack, base, "-t", "tmpfs", "tmpfs", "-o", "size=1g")
    for name in ("upper", "work", "root"):
        (base / name).mkdir()
    layers = f"lowerdir=/,upperdir={base}/upper,workdir={base}/work"
    _mount(stack, base / "root", "-t", "overlay", "overlay", "-o", layers)
    root = base / "root"
    for wanted in (root / "etc/systemd/system").glob("*.wants"):
        shutil.rmtree(wanted)  # keep this machine's own services out
    (root / "etc/machine-id").write_text("")
    return root


def _mount(stack: ExitStack, where: Path, *what: str) -> None:
    done = subprocess.run(["mount", *what[:3], str(where), *what[3:]], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBoot(f"no mount: {done.stderr.strip()}")
    stack.callback(subprocess.run, ["umount", str(where)], check=True)


def _groups(stack: ExitStack) -> list[Path]:
    """Control groups of its own, so that nothing is left behind in those of this machine."""
    places = [CGROUPS / name for name in ("systemd", "unified") if (CGROUPS / name).is_dir()] or [CGROUPS]
    groups = [place / f"clockwright-boot-{os.getpid()}" for place in places]
    for group in groups:
        try:
            group.mkdir()
        except OSError as error:
            raise CannotBoot(f"no control group: {error.strerror}") from error
        stack.callback(_remove, group)
    return groups


def _remove(group: Path) -> None:
    for folder in sorted(group.rglob("*"), reverse=True):
        if folder.is_dir():
            with suppress(OSError):
                folder.rmdir()
    group.rmdir()


@contextmanager
def _process(root: Path, groups: list[Path]) -> Iterator[subprocess.Popen[str]]:
    enter = "".join(f'echo $$ > "{group}/cgroup.procs"; ' for group in groups)
    boot = f"{enter} exec systemd-nspawn -q -D '{root}' --boot --register=no --keep-unit --private-network"
    options = " --console=pipe --machine=clockwright-boot systemd.unit=multi-user.target"
    with (root.parent / "log").open("w") as log:
        process = subprocess.Popen(
            ["sh", "-c", boot + options], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(30)


def _leader(process: subprocess.Popen[str]) -> int:
    """The process that is number one inside."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
        )
        if found.stdout.strip():
            return int(found.stdout.split()[0])
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise CannotBoot("systemd-nspawn does not start here")
