"""The API gives what the pages show, and does what their buttons do."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, TypeVar

import pytest
from starlette.testclient import TestClient

from daemon.domain.events import RunStarted
from daemon.web.live import MOST_LISTENERS, Crowded, Live
from daemon.web.trigger import WINDOW_SECONDS
from tests.builders import T0, a_run
from tests.house import NOW, TRIGGER_SECRET, House

CALL = "/trigger/fx_rates"
T = TypeVar("T")


def test_jobs_and_runs_come_as_the_command_line_prints_them(operator: TestClient, house: House) -> None:
    jobs = operator.get("/api/v1/jobs").json()
    assert [job["id"] for job in jobs] == sorted(house.jobs)
    assert operator.get("/api/v1/jobs/ad_spend_import").json()["overdue"] == "has not begun"
    [row] = operator.get("/api/v1/runs?job=churn_features&limit=1").json()
    run = operator.get(f"/api/v1/runs/{row['id']}").json()
    assert (run["run"], run["state"], len(run["steps"])) == (row["id"], "failed", 5)
    assert {"kind": "RunStarted", "text": "started"}.items() <= run["history"][0].items()
    rows = operator.get("/api/v1/jobs/fx_rates/ledger?days=1").json()
    assert rows[0]["disposition"] == "started"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/v1/jobs/nothing/run", None, 404),
        ("/api/v1/jobs/nothing/resume", None, 404),
        ("/api/v1/jobs/legacy_export/run", None, 409),
        ("/api/v1/jobs/fx_rates/run", {"date": "2026-03-10"}, 409),
        ("/api/v1/jobs/fx_rates/run", {"date": "0001-01-01"}, 409),
        ("/api/v1/jobs/fx_rates/run", {"day": "2026-03-01"}, 422),
        ("/api/v1/jobs/fx_rates/pause", {"until": "2026-03-10T10:00"}, 422),
        ("/api/v1/jobs/fx_rates/pause", {"until": "9999-12-31T23:59:59Z"}, 409),
        ("/api/v1/runs/nothing/cancel", None, 404),
        ("/api/v1/escalations/nothing/answer", {"option": "retry"}, 404),
        ("/api/v1/escalations/nothing/answer", {"option": "retry", "by": "me"}, 422),
    ],
)
def test_what_cannot_be_done_is_told(operator: TestClient, path: str, body: object, status: int) -> None:
    answer = operator.post(path, json=body)
    assert (answer.status_code, list(answer.json())) == (status, ["detail"]), answer.text


@pytest.mark.parametrize(
    "body", [b'{"option": "\\ud800"}', b'{"option": "retry", "changes": {"a": NaN}}', b"[", b"\xff"]
)
def test_what_is_no_json_is_refused_in_json(operator: TestClient, body: bytes) -> None:
    answer = operator.post("/api/v1/escalations/nothing/answer", content=body)
    assert (answer.status_code, list(answer.json())) == (422, ["detail"])


def test_an_operator_acts_in_a_name(operator: TestClient, house: House) -> None:
    named = {"x-clockwright-name": "grace"}
    made = operator.post("/api/v1/jobs/fx_rates/run", json={"date": "2026-03-01"}, headers=named)
    assert made.status_code == 201
    [row] = house.asks.escalations()
    for path, body in (
        (f"/api/v1/escalations/{row.id}/answer", {"option": "skip"}),
        (f"/api/v1/runs/{made.json()['run']}/cancel", None),
        ("/api/v1/jobs/*/pause", {"why": "fire drill"}),
        ("/api/v1/jobs/*/resume", None),
    ):
        assert operator.post(path, json=body, headers=named).status_code in {200, 202}
    log = operator.get("/api/v1/audit?limit=5").json()
    assert [deed["verb"] for deed in log] == ["resume", "pause", "cancel", "answer", "run"]
    assert {(deed["by"], deed["origin"]) for deed in log} == {("grace", "api testclient")}


def test_the_same_key_gives_the_same_run(operator: TestClient, house: House) -> None:
    key = {"idempotency-key": "k-1"}
    first, again = (operator.post("/api/v1/jobs/fx_rates/run", headers=key).json() for _ in range(2))
    assert (first["run"], again["new"]) == (again["run"], False)
    assert operator.post("/api/v1/jobs/daily_sales_report/run", headers=key).status_code == 409


class TestTrigger:
    @staticmethod
    def headers(body: bytes = b"", *, secret: str = TRIGGER_SECRET, at: float = 0, **changed: str) -> dict[str, str]:
        stamp = str(int(NOW.timestamp() + at))
        signed = f"{stamp}.fx_rates.key-1.".encode() + body
        signature = hmac.new(secret.encode(), signed, sha256).hexdigest()
        made = {
            "x-clockwright-timestamp": stamp,
            "x-clockwright-signature": f"sha256={signature}",
            "idempotency-key": "key-1",
        }
        return {**made, **{name.replace("_", "-"): value for name, value in changed.items()}}

    def test_a_signed_request_is_run_once_for_its_key(self, stranger: TestClient, house: House) -> None:
        body = b'{"date": "2026-03-01"}'
        first, again = (stranger.post(CALL, content=body, headers=self.headers(body)) for _ in range(2))
        assert (first.status_code, first.json()["new"], again.json()["new"]) == (201, True, False)
        assert first.json()["run"] == again.json()["run"]
        deed = house.asks.deeds(1)[0]
        assert (deed.by, deed.origin, deed.verb, deed.detail) == ("trigger", "trigger testclient", "run", "2026-03-01")

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            headers(secret="wrong" * 2),
            headers(at=WINDOW_SECONDS + 1),
            headers(at=-WINDOW_SECONDS - 1),
            headers(b"another body"),
            headers(idempotency_key="another key"),
            headers(x_clockwright_timestamp="soon"),
            headers(x_clockwright_timestamp="9" * 40),
        ],
    )
    def test_what_is_not_signed_so_is_refused(
        self, stranger: TestClient, house: House, headers: dict[str, str]
    ) -> None:
        before = house.asks.runs(limit=1000)
        assert stranger.post(CALL, headers=headers).status_code == 401
        assert house.asks.runs(limit=1000) == before

    def test_a_signature_for_one_job_is_none_for_another(self, stranger: TestClient) -> None:
        assert stranger.post("/trigger/daily_sales_report", headers=self.headers()).status_code == 401

    def test_a_body_that_means_nothing_is_told(self, stranger: TestClient) -> None:
        answer = stranger.post(CALL, content=b"{", headers=self.headers(b"{"))
        assert answer.status_code == 422


def apart(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: a browser that an earlier test has opened keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class TestLive:
    def test_a_page_hears_of_its_run_and_many_events_are_one_piece_of_news(self) -> None:
        assert apart(self._heard("run-1", "run-1")) == "event: change\ndata: \n\n"

    def test_a_page_hears_nothing_of_another_run(self) -> None:
        assert apart(self._heard("run-2", "run-1")) == ""

    @staticmethod
    async def _heard(wanted: str, happened: str) -> str:
        live = Live()
        lines = live.stream(live.listen(wanted))
        assert (await anext(lines)).startswith("retry:")
        for _ in range(5):
            live.emit(a_run(happened), RunStarted(T0))
        news = asyncio.ensure_future(anext(lines))
        done, _ = await asyncio.wait([news], timeout=0.2)
        news.cancel()
        return news.result() if done else ""

    def test_there_are_only_so_many(self) -> None:
        async def crowd() -> None:
            live = Live()
            for _ in range(MOST_LISTENERS):
                live.listen("")
            with pytest.raises(Crowded):
                live.listen("")

        apart(crowd())
