"""The page of the real daemon: one command, one address, one token."""

from __future__ import annotations

import hmac
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from tests.system.cli_folder import Folder, stop, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
SECRET = "trigger-secret-of-this-test"


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.fixture
def folder(tmp_path: Path, port: int) -> Folder:
    made = Folder.make(tmp_path / "config")
    (made.root / "trigger").write_text(SECRET)
    (made.root / "clockwright.yaml").write_text(
        "state: state\ntools: [tools]\nsecrets: {trigger: {file: trigger}}\n"
        f"http: {{port: {port}, trigger_secret: trigger}}\n"
    )
    return made


@pytest.fixture
def base(folder: Folder, port: int) -> Iterator[str]:
    process = folder.start("serve")
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        code, _, err = stop(process)
        assert code == 0, err
        assert SECRET not in err


def up(base: str) -> bool:
    try:
        return httpx.get(f"{base}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def test_a_triggered_run_is_carried_to_its_end_and_seen_live(folder: Folder, base: str) -> None:
    wait_for(lambda: up(base))
    token = folder.run("web", "token")[1].strip()
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=base, headers=bearer, timeout=30) as client, client.stream("GET", "/live") as news:
        run = trigger(base, "key-1")
        assert trigger(base, "key-1") == run
        assert any(line == "event: change" for line in news.iter_lines())
        wait_for(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "succeeded")
        assert client.get("/api/v1/audit").json()[0]["verb"] == "run"
        assert "succeeded" in client.get(f"/runs/{run}").text
        assert 'clockwright_runs_total{job_name="report",state="succeeded"} 1.0' in client.get("/metrics").text
    assert folder.delivered() == 1


def trigger(base: str, key: str) -> str:
    answer = post(base, key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["run"])


def post(base: str, key: str, *, secret: str = SECRET, age: int = 0, signed_for: str = "report") -> httpx.Response:
    """A call of `POST /trigger/report`, signed as documented."""
    stamp = str(int(time.time()) - age)
    signature = hmac.new(secret.encode(), f"{stamp}.{signed_for}.{key}.".encode(), sha256).hexdigest()
    headers = {
        "X-Clockwright-Timestamp": stamp,
        "X-Clockwright-Signature": f"sha256={signature}",
        "Idempotency-Key": key,
    }
    return httpx.post(f"{base}/trigger/report", headers=headers, timeout=30)


def test_a_key_makes_one_run_although_the_daemon_is_killed_and_a_forged_call_makes_none(
    folder: Folder, port: int
) -> None:
    base = f"http://127.0.0.1:{port}"
    first = folder.start("serve")
    wait_for(lambda: up(base))
    forged = [
        post(base, "key-0", secret=SECRET[::-1]),
        post(base, "key-0", signed_for="hang"),
        post(base, "key-0", age=3600),
        httpx.post(f"{base}/trigger/report"),
    ]
    assert [answer.status_code for answer in forged] == [401] * 4
    with ThreadPoolExecutor(4) as callers:
        runs = set(callers.map(lambda _: trigger(base, "key-1"), range(8)))
    first.kill()
    first.communicate()
    second = folder.start("serve")
    try:
        wait_for(lambda: up(base))
        again = post(base, "key-1").json()
        assert (runs, again["new"]) == ({again["run"]}, False)
        wait_for(lambda: [run["state"] for run in folder.json("runs", "list")] == ["succeeded"])
    finally:
        code, _, err = stop(second)
    assert code == 0, err
    assert folder.delivered() == 1


def test_a_port_that_is_taken_is_one_line_and_the_jobs_run_all_the_same(folder: Folder, port: int) -> None:
    with socket.create_server(("127.0.0.1", port)):
        process = folder.start("serve")
        assert process.stderr is not None
        told = {}
        while "serving" not in told:
            line = json.loads(process.stderr.readline())
            told[line["topic"]] = line["message"]
    code, _, _ = stop(process)
    assert code == 0
    assert told["page_unavailable"].startswith(f"the page cannot be served at 127.0.0.1:{port}: Address already in use")
    assert "page" not in told
