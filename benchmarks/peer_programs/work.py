"""What every peer is given to do, with the standard library alone: no work, a post, a hang."""

from __future__ import annotations

import argparse
import json
import os
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

STEPS = 5
OUTPUT = {"value": "x" * 1000}
TIMEOUT = 2.0
"""Seconds that a step may take, where a peer can be told so."""
os.environ.setdefault("TZ", "UTC")


@dataclass(frozen=True)
class Task:
    what: str
    folder: Path
    url: str
    runs: int


def task() -> Task:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("cost", "send", "again", "hang"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--runs", type=int, default=0)
    return Task(**vars(parser.parse_args()))


def nothing() -> dict[str, str]:
    return OUTPUT


def post(url: str) -> str:
    """A plain request. Its answer may never come."""
    request = urllib.request.Request(f"{url}/post", b"{}", {"Idempotency-Key": "report"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return str(answer.status)


def hang(url: str) -> str:
    """Wait for bytes that nobody sends; the other side sees when the connection is let go."""
    import socket

    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 80)) as line:
        line.sendall(b"GET /hang HTTP/1.0\r\n\r\n")
        return line.recv(1).decode()


def measured(run: Callable[[], object], runs: int) -> None:
    """Print CPU milliseconds of a step, this process alone, after one run that does not count."""
    run()
    began = time.process_time()
    for _ in range(runs):
        run()
    said(cpu_ms=(time.process_time() - began) * 1000 / runs / STEPS)


def said(**what: object) -> None:
    print(json.dumps(what), flush=True)
