"""The clock, the zone data, ports, packages and systemd."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ...config import Settings
from ...domain.checkup import Finding, fail, ok, warn
from ...ports import Queries, StoreError

_TIME_ERROR = 5
_TIMEX_BYTES = 256


def time(queries: Queries | None) -> Iterator[Finding]:
    """`queries` is None where there is no store yet."""
    from ...adapters.zone_data import zone_data_version

    now, version = datetime.now(UTC), zone_data_version()
    year = next((int(part[:4]) for part in version.split() if part[:4].isdigit()), 0)
    if year < now.year - 1:
        yield warn("time", f"zone data {version} is old", "update the system's tzdata, or: pip install -U tzdata")
    else:
        yield ok("time", f"zone data {version}")
    if _unsynchronised():
        yield warn("time", "nobody keeps this machine's clock right", "start systemd-timesyncd or chrony")
    else:
        yield ok("time", "the clock is kept")
    yield from _behind(queries, now)


def _unsynchronised() -> bool:
    """What the kernel says of its own clock."""
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)) == _TIME_ERROR)


def _behind(queries: Queries | None, now: datetime) -> Iterator[Finding]:
    if queries is None:
        return
    try:
        newest = next((run.queued_at for run in queries.runs(limit=1)), now)
    except StoreError:
        return  # said by whoever looks at the store
    if newest > now + timedelta(minutes=1):
        yield fail(
            "time", f"the newest run is of {newest.isoformat()}, after now", "set the clock right before you start"
        )


def ports(settings: Settings, at_work: bool) -> Iterator[Finding]:
    for name, endpoint in (("http", settings.http), ("metrics", settings.metrics)):
        if endpoint.port is None:
            continue
        place = f"{name} {endpoint.host}:{endpoint.port}"
        trouble = _taken(endpoint.host, endpoint.port)
        if trouble == errno.EADDRINUSE and at_work:
            yield ok("ports", f"{place} is in use, and a daemon is at work")
        elif trouble:
            yield fail("ports", f"{place}: {os.strerror(trouble)}", f"choose another {name}.port or host")
        else:
            yield ok("ports", f"{place} is free")


def _taken(host: str, port: int) -> int:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(found[0], socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(found[4])
    except OSError as error:
        return error.errno or errno.EADDRNOTAVAIL
    return 0


def packages() -> Iterator[Finding]:
    """`python-daemon` brings a package of our name, and whichever was installed last wins."""
    for name in ("python-daemon", "daemon"):
        try:
            distribution(name)
        except PackageNotFoundError:
            continue
        yield fail("packages", f"{name} is installed beside Clockwright", f"pip uninstall {name}, then install again")
        return
    yield ok("packages", f"no other package is called 'daemon'; this one is {Path(__file__).parents[2]}")


def systemd() -> Iterator[Finding]:
    if not Path("/run/systemd/system").is_dir() or not shutil.which("systemctl"):
        yield ok("systemd", "this machine does not run systemd")
        return
    names = ("LoadState", "UnitFileState", "ActiveState", "Result", "NRestarts")
    command = ["systemctl", "show", "clockwright", *(f"--property={name}" for name in names)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout
    state = dict(line.partition("=")[::2] for line in told.splitlines())
    if state.get("LoadState") != "loaded":
        yield warn("systemd", "the service is not installed", "clockwright systemd install")
    elif state.get("ActiveState") == "failed":
        yield fail("systemd", f"the service has given up: {state.get('Result')}", "journalctl -u clockwright")
    elif state.get("UnitFileState") != "enabled":
        yield warn("systemd", "the service does not start with the machine", "systemctl enable clockwright")
    else:
        yield ok("systemd", f"the service is {state.get('ActiveState')}, {state.get('NRestarts')} restarts")
