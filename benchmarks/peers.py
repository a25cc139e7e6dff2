"""Clockwright beside its peers, measured here and now: `python -m benchmarks.peers [PYTHON_OF_PEERS]`

For each: the CPU and the flushes of a durable step (five steps of 1 KB in a run, interleaved rounds, flushes counted
with strace between two counts of runs); what a receiver has counted when the process was killed with SIGKILL after the
receiver took the request and before it answered, and the program was started again; and whether a step that waits on a
socket for ever is stopped at its two seconds, where the peer can be told any. The peers are installed into a throwaway
environment (PEERS) unless the Python of one is named. Prints a table, writes benchmarks/results/peers.json.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROGRAMS = HERE / "peer_programs"
RESULTS = HERE / "results" / "peers.json"
PEERS = (
    "apscheduler==3.11.3",
    "sqlalchemy",
    "dbos==3.4.0",
    "langgraph==1.2.24",
    "langgraph-checkpoint-sqlite==3.1.2",
    "prefect==3.9.1",
)
ROUNDS, RUNS, STEPS, TIMEOUT = 3, 40, 5, 2.0
PATIENCE = 8.0
"""Seconds after the deadline until a hung step counts as not stopped."""


@dataclass(frozen=True)
class Peer:
    name: str
    program: str
    packages: tuple[str, ...] = ()
    durable: bool = True
    limit: str = ""
    """How it is told the two seconds; it cannot be told where this is empty."""
    runs: int = RUNS


CONTESTANTS = (
    Peer("Clockwright", "clockwright_job", limit="timeout"),
    Peer("a script under cron", "script", durable=False),
    Peer("APScheduler, SQLite job store", "aps", ("apscheduler",), durable=False),
    Peer("DBOS, SQLite", "dbos_flow", ("dbos",), limit="SetWorkflowTimeout"),
    Peer("LangGraph, SqliteSaver, sync", "graph", ("langgraph", "langgraph-checkpoint-sqlite"), limit="step_timeout"),
    # What a step costs is not measured where another process, its server, does the work.
    Peer("Prefect, its own server", "prefect_flow", ("prefect",), durable=False, limit="timeout_seconds"),
)


@dataclass
class Receiver:
    """Counts what it takes; the first request gets no answer until it is let go."""

    taken: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    hold: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)
    """The hung step's connection is closed."""
    url: str = ""


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            receiver.taken.append(self.headers["Idempotency-Key"])
            receiver.arrived.set()
            if len(receiver.taken) == 1:
                receiver.hold.wait(120)
            self._say(201)

        def do_GET(self) -> None:
            if self.path == "/hang":
                receiver.arrived.set()
                with suppress(OSError):
                    self.connection.recv(1)
                receiver.let_go.set()
            else:
                self._say(200 if self.path.rpartition("/")[2] in receiver.taken else 404)

        def _say(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever asked was killed."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = _Server(("127.0.0.1", 0), _handler(receiver))
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.hold.set()
        server.shutdown()
        server.server_close()


@dataclass(frozen=True)
class Bench:
    python: str
    """That of the peers."""

    def command(self, peer: Peer, what: str, folder: Path, *more: str) -> list[str]:
        if peer.program == "clockwright_job":
            return [sys.executable, "-m", f"benchmarks.peer_programs.{peer.program}", what, str(folder), *more]
        return [self.python, str(PROGRAMS / f"{peer.program}.py"), what, str(folder), *more]

    def cost(self, peer: Peer, folder: Path) -> float:
        command = self.command(peer, "cost", folder, "--runs", str(peer.runs))
        return float(_answer(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["cpu_ms"])

    def flushes(self, peer: Peer) -> float:
        once, twice = (self._flushed(peer, runs) for runs in (peer.runs, 2 * peer.runs))
        return (twice - once) / peer.runs / STEPS

    def _flushed(self, peer: Peer, runs: int) -> int:
        with _folder() as folder, tempfile.NamedTemporaryFile("r") as log:
            trace = ["strace", "-f", "-q", "-e", "trace=fsync,fdatasync", "-o", log.name]
            command = self.command(peer, "cost", folder, "--runs", str(runs))
            subprocess.run([*trace, *command], capture_output=True, check=True)
            return len(re.findall(r"f(?:data)?sync\(", log.read()))

    def killed(self, peer: Peer) -> dict[str, Any]:
        """In the middle of its post, and then begun again."""
        with _folder() as folder, receiving() as receiver:
            with self._started(peer, "send", folder, receiver):
                assert receiver.arrived.wait(120), f"{peer.name} never posted"
            receiver.hold.set()
            command = self.command(peer, "again", folder, "--url", receiver.url)
            again = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
            said = _answer(again.stdout) if again.returncode == 0 else {"ended": False}
            return {"ended": said["ended"], "posts": len(receiver.taken)}

    def hung(self, peer: Peer) -> dict[str, Any]:
        """Seconds from its connecting until the connection of a step that hangs is closed; None for not at all."""
        with _folder() as folder, receiving() as receiver, self._started(peer, "hang", folder, receiver):
            assert receiver.arrived.wait(120), f"{peer.name} never began"
            began = time.monotonic()
            stopped = receiver.let_go.wait(TIMEOUT + PATIENCE)
            return {"gone_after": round(time.monotonic() - began, 2) if stopped else None}

    @contextmanager
    def _started(self, peer: Peer, what: str, folder: Path, receiver: Receiver) -> Iterator[None]:
        """Its whole process group is killed at the end."""
        command = self.command(peer, what, folder, "--url", receiver.url)
        with (folder / "said").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)


@contextmanager
def _folder() -> Iterator[Path]:
    """On the disk of this folder: a memory file system flushes for nothing."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".peers-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _answer(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text.strip().splitlines()[-1])
    return found


def _versions(python: str, peer: Peer) -> Mapping[str, str]:
    ask = "import sys, json, importlib.metadata as m; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    return _answer(
        subprocess.run([python, "-c", ask, *peer.packages], capture_output=True, text=True, check=True).stdout
    )


def _installed(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin/pip", "install", "-q", *PEERS], check=True)
    return str(folder / "bin/python")


def measured(python: str) -> dict[str, Any]:
    bench = Bench(python)
    costs: dict[str, list[float]] = {peer.name: [] for peer in CONTESTANTS if peer.durable}
    for _ in range(ROUNDS):
        for peer in CONTESTANTS:
            if peer.durable:
                with _folder() as folder:
                    costs[peer.name].append(bench.cost(peer, folder))
    rows = {}
    for peer in CONTESTANTS:
        row: dict[str, Any] = {"versions": _versions(python, peer), "limit": peer.limit}
        if peer.durable:
            row |= {"cpu_ms_a_step": round(statistics.median(costs[peer.name]), 2)}
            row |= {"flushes_a_step": round(bench.flushes(peer), 2) if shutil.which("strace") else None}
        rows[peer.name] = row | {"killed": bench.killed(peer), "hung": bench.hung(peer)}
        print(peer.name, json.dumps(rows[peer.name]), flush=True)
    return {"python": platform.python_version(), "load": round(os.getloadavg()[0], 2), "peers": rows}


def table(result: Mapping[str, Any]) -> str:
    """For the README, which quotes nothing else."""
    head = ("| ", "CPU ms a step", "flushes a step", "posts after a kill in mid-post", "a step that hangs, told 2 s")
    lines = [" | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, row in result["peers"].items():
        versions = ", ".join(f"{version}" for version in list(row["versions"].values())[:1])
        cells = (
            name.replace(",", f" {versions},", 1),
            f"{row['cpu_ms_a_step']}" if "cpu_ms_a_step" in row else "",
            f"{row['flushes_a_step']}" if row.get("flushes_a_step") is not None else "",
            f"**{row['killed']['posts']}**" + ("" if row["killed"]["ended"] else ", and does not end"),
            _hung(row),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _hung(row: Mapping[str, Any]) -> str:
    if not row["limit"]:
        return "goes on; it was told no limit"
    stopped = row["hung"]["gone_after"] is not None
    return f"gone by then (`{row['limit']}`)" if stopped else f"goes on, {PATIENCE:.0f} s later too (`{row['limit']}`)"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        python = sys.argv[1] if len(sys.argv) > 1 else _installed(Path(scratch) / "peers")
        result = measured(python)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n")
    print(table(result))


if __name__ == "__main__":
    main()
