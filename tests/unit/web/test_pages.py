"""What the pages show, what their buttons do, and what they never show."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from daemon.domain.job import Disposition
from daemon.domain.model import RunState
from daemon.domain.pause import EVERYTHING
from daemon.ports import Accounted
from daemon.web.drawing import graph, spark
from daemon.web.pages.job import calendar
from tests.builders import after
from tests.house import NOW, OPERATOR, PLANTED, READER, TRIGGER_SECRET, House, plan_of
from tests.unit.web.conftest import client, entered, submit

pytestmark = pytest.mark.slow

MESSAGE = "6bcdd7e76afd57c2"


def newest(house: House, job: str) -> str:
    return house.asks.runs(job, limit=1)[0].id


def pages(house: House) -> list[str]:
    runs = [f"/runs/{newest(house, job)}" for job in house.jobs]
    jobs = [f"/jobs/{job}" for job in house.jobs]
    fixed = ["/", "/runs", "/inbox", "/tools", "/outbox", f"/outbox/{MESSAGE}", "/audit", "/nothing", "/login"]
    kept = [f"/outbox/{MESSAGE}/index.html", f"/outbox/{MESSAGE}/message.json", "/?q=sales", "/?only=overdue"]
    api = ["jobs", "runs", "escalations", "tools", "audit", *(path.lstrip("/") for path in (*runs, *jobs))]
    return [*fixed, *kept, *runs, *jobs, *(f"/api/v1/{path}" for path in api), "/api/openapi.json"]


def test_no_secret_is_on_any_page(house: House, person: TestClient) -> None:
    """Tools, people and files repeat one; the tokens themselves are secrets too."""
    hidden = 0
    for path in pages(house):
        answer = person.get(path)
        assert answer.status_code < 500, path
        for secret in (PLANTED, OPERATOR, READER, TRIGGER_SECRET):
            assert secret not in answer.text, path
        hidden += answer.text.count("[redacted]")
    assert hidden > 20


def test_no_page_asks_anybody_else_for_anything(house: House, person: TestClient) -> None:
    for path in pages(house):
        text = person.get(path).text
        assert not re.findall(r'(?:src|action|href)="(?:https?:)?//(?!wiki\.example\.com/)[^"]*"', text), path
        assert not re.findall(r"<script(?! src=)|\son\w+=|style=", text), path


class TestOverview:
    def test_what_needs_a_person_is_counted(self, person: TestClient) -> None:
        text = re.sub(r"<[^>]+>|\s+", " ", person.get("/").text)
        for tally in ("10 all", "1 overdue", "1 asking", "1 failed", "1 degraded", "2 running", "1 paused", "1 broken"):
            assert tally in re.sub(r" +", " ", text)

    @pytest.mark.parametrize(
        ("query", "jobs"),
        [("only=overdue", ["ad_spend_import"]), ("q=FINANCE", ["fx_rates", "invoice_reminders"]), ("q=zzz", [])],
    )
    def test_it_is_narrowed(self, person: TestClient, query: str, jobs: list[str]) -> None:
        found = re.findall(r'<th scope="row"><a href="/jobs/(\w+)"', person.get(f"/?{query}").text)
        assert found == jobs

    def test_who_may_look_can_pause_nothing(self, house: House) -> None:
        with client(house) as browser:
            entered(browser, READER)
            assert "Pause everything" not in browser.get("/").text
            assert submit(browser, "/", "/pause")[0] == 403
        assert EVERYTHING not in {each.job for each in house.asks.pauses()}


def test_a_pause_of_everything_stands_on_every_page_until_somebody_resumes(house: House, person: TestClient) -> None:
    assert submit(person, "/", "/pause", why="fire drill", hours="2") == (303, "/?done=paused")
    for page in ("/", "/jobs/fx_rates", "/runs", "/inbox", "/tools", "/audit"):
        assert "everything was paused by ada: fire drill, until 2026-03-10 " in person.get(page).text, page
    [held] = [pause for pause in house.asks.pauses() if pause.job == EVERYTHING]
    assert held.until == NOW + timedelta(hours=2)
    assert submit(person, "/runs", "/resume") == (303, "/?done=resumed")
    assert "everything was paused" not in person.get("/").text
    assert [deed.verb for deed in house.asks.deeds(2)] == ["resume", "pause"]


class TestJob:
    def test_its_runbook_is_a_link_only_where_it_is_safe_to_follow(self, house: House, person: TestClient) -> None:
        from dataclasses import replace

        house.jobs["fx_rates"] = replace(house.jobs["fx_rates"], runbook="javascript:alert(1)")
        text = person.get("/jobs/fx_rates").text
        assert "javascript:alert(1)" in text
        assert 'href="javascript' not in text

    def test_it_is_run_paused_and_resumed(self, house: House, person: TestClient) -> None:
        page = "/jobs/fx_rates"
        status, where = submit(person, page, f"{page}/run", date="2026-03-01")
        assert (status, where.endswith("?done=requested")) == (303, True)
        assert person.get(where).status_code == 200
        assert submit(person, page, f"{page}/pause", why="moved", hours="2") == (303, f"{page}?done=paused")
        [held] = [pause for pause in house.asks.pauses() if pause.job == "fx_rates"]
        assert (held.by, held.why, held.until) == ("ada", "moved", NOW + timedelta(hours=2))
        assert submit(person, page, f"{page}/resume") == (303, f"{page}?done=resumed")
        told = [(deed.by, deed.origin, deed.verb) for deed in house.asks.deeds(3)]
        assert told == [("ada", "page testclient", verb) for verb in ("resume", "pause", "run")]

    @pytest.mark.parametrize(("day", "why"), [("yesterday", "is not a date"), ("2026-03-10", "has not ended")])
    def test_a_day_that_cannot_be_is_said_in_one_line(self, person: TestClient, day: str, why: str) -> None:
        from tests.unit.web.conftest import form_key

        key = form_key(person.get("/jobs/fx_rates").text)
        answer = person.post("/jobs/fx_rates/run", data={"form_key": key, "date": day})
        assert (answer.status_code, why in answer.text) == (409, True)

    def test_one_that_is_not_there_is_not_found(self, person: TestClient) -> None:
        assert person.get("/jobs/nothing").status_code == 404
        assert submit(person, "/jobs/fx_rates", "/jobs/nothing/resume")[0] == 404


def test_the_calendar_shows_the_worst_of_each_day() -> None:
    ran = [Accounted(after(n), Disposition.STARTED, f"r{n}", RunState.SUCCEEDED) for n in (0, 1)]
    bad = Accounted(after(2), Disposition.STARTED, "r2", RunState.FAILED)
    weeks = calendar(
        [*ran, bad, Accounted(after(-86_400), Disposition.SKIPPED_PAUSED, None, None)], "UTC", date(2026, 3, 4)
    )
    cells = {cell.day: cell for week in weeks for cell in week if cell}
    assert (cells[date(2026, 3, 1)].state, cells[date(2026, 3, 1)].words) == ("failed", "1 failed, 2 succeeded")
    assert (cells[date(2026, 2, 28)].state, cells[date(2026, 2, 27)].words) == ("skipped", "not due")
    assert max(cells) == date(2026, 3, 4)
    assert len(weeks) == 13


class TestRun:
    def test_its_decisions_pictures_and_history_are_there(self, house: House, person: TestClient) -> None:
        text = person.get(f"/runs/{newest(house, 'daily_sales_report')}").text
        for words in ("the orders are there and none is left over", "gpt-5-mini", "853 tokens", "48,210.40 €"):
            assert words in text
        [picture] = set(re.findall(r'<img src="([^"]+)"', text))
        answer = person.get(picture)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")

    @pytest.mark.parametrize(
        ("job", "said"),
        [("daily_sales_report", "delivered"), ("hourly_stock_sync", "awaited"), ("newsletter", "skipped")],
    )
    def test_it_says_what_became_of_its_delivery(self, house: House, person: TestClient, job: str, said: str) -> None:
        text = person.get(f"/runs/{newest(house, job)}").text
        [part] = re.findall(r'aria-label="List of deliveries">(.*?)</table>', text, re.DOTALL)
        assert said in part
        document = person.get(f"/api/v1/runs/{newest(house, job)}").json()
        assert [each["state"] for each in document["deliveries"]] == [said]

    def test_a_file_of_another_run_is_not_its_own(self, house: House, person: TestClient) -> None:
        made = re.findall(r"/files/([0-9a-f]{64})", person.get(f"/runs/{newest(house, 'daily_sales_report')}").text)[0]
        assert person.get(f"/runs/{newest(house, 'churn_features')}/files/{made}").status_code == 404

    def test_it_is_cancelled_and_made_again(self, house: House, person: TestClient) -> None:
        running, failed = (newest(house, job) for job in ("hourly_stock_sync", "churn_features"))
        assert submit(person, f"/runs/{running}", f"/runs/{running}/cancel") == (303, f"/runs/{running}?done=cancelled")
        assert [message.by for message in house.store.messages(running)] == ["ada"]
        status, where = submit(person, f"/runs/{failed}", f"/runs/{failed}/retry")
        assert (status, where) == (303, f"/runs/{failed[:-1]}2?done=requested")
        assert submit(person, "/", f"/runs/{failed}/cancel")[0] == 409
        assert submit(person, "/", "/runs/nothing/retry")[0] == 404

    def test_the_list_is_paged_and_narrowed(self, house: House, person: TestClient) -> None:
        first = re.findall(r'<td class="tight"><a href="/runs/([^"]+)"', person.get("/runs").text)
        older = re.findall(r'<td class="tight"><a href="/runs/([^"]+)"', person.get(f"/runs?before={first[-1]}").text)
        assert len(first) == 50
        assert not set(first) & set(older)
        failed = re.findall(
            r'<td class="tight"><a href="/runs/([^"]+)"', person.get("/runs?job=churn_features&state=failed").text
        )
        assert {house.store.load(run).state for run in failed} == {RunState.FAILED}


class TestInbox:
    def test_an_answer_is_left_for_the_driver_with_what_was_shown(self, house: House, person: TestClient) -> None:
        [row] = house.asks.escalations()
        answer = {"option": "retry", "digest": row.digest, "input:channel": '"#elsewhere"'}
        assert submit(person, "/inbox", f"/inbox/{row.id}", **answer) == (303, "/inbox?done=answered")
        [message] = house.store.messages(row.run)
        assert message.by == "ada"
        assert message.body == {
            "escalation": row.id, "option": "retry", "changes": {"channel": "#elsewhere"}, "digest": row.digest,
        }  # fmt: skip
        assert "Your answer is noted" not in person.get("/inbox").text
        assert "retry: denied" in person.get("/audit").text

    @pytest.mark.parametrize(
        ("fields", "status"),
        [
            ({"option": "retry", "digest": "of an older question"}, 409),
            ({"option": "approve"}, 409),
            ({"option": "retry", "input:day": '"2020-01-01"'}, 409),
            ({"option": "retry", "input:channel": "NaN"}, 409),
            ({}, 409),
        ],
    )
    def test_what_cannot_be_answered_so_is_said(
        self, house: House, person: TestClient, fields: dict[str, str], status: int
    ) -> None:
        [row] = house.asks.escalations()
        assert submit(person, "/inbox", f"/inbox/{row.id}", **fields)[0] == status
        assert house.store.messages(row.run) == []

    def test_what_was_decided_lately_is_there_also_what_nobody_answered(self, person: TestClient) -> None:
        text = re.sub(r"<[^>]+>|\s+", " ", person.get("/inbox").text.split("Decided lately")[1])
        assert re.search(r"4 h ago .* retry +by grace .* 1 d ago .* skip +nobody answered in time", text)

    def test_who_may_look_sees_no_buttons(self, house: House) -> None:
        with client(house) as browser:
            text = entered(browser, READER, "").get("/inbox").text
        assert "<button name" not in text
        assert "Options: retry, skip, abort" in text


class TestOutbox:
    def test_the_message_is_framed_and_runs_nothing(self, person: TestClient) -> None:
        assert f'src="/outbox/{MESSAGE}/index.html"' in person.get(f"/outbox/{MESSAGE}").text
        framed = person.get(f"/outbox/{MESSAGE}/index.html")
        assert framed.headers["x-frame-options"] == "SAMEORIGIN"
        assert "default-src 'none'" in framed.headers["content-security-policy"]
        assert "script-src" not in framed.headers["content-security-policy"]
        assert person.get(f"/outbox/{MESSAGE}/files/sales.png").headers["content-type"] == "image/png"

    @pytest.mark.parametrize(
        "path", ["../x/index.html", f"{MESSAGE}/receipt.json", f"{MESSAGE}/files/..", "x/index.html"]
    )
    def test_nothing_else_is_handed_out(self, person: TestClient, house: House, path: str) -> None:
        (house.folder / "x").mkdir()
        (house.folder / "x" / "index.html").write_text("not yours")
        assert person.get(f"/outbox/{path.replace('..', '%2e%2e')}").status_code in {404, 307}

    def test_a_link_out_of_the_folder_is_not_followed(self, person: TestClient, house: House, tmp_path: Path) -> None:
        (tmp_path / "private.png").write_bytes(b"private")
        (house.folder / "outbox" / MESSAGE / "files" / "link.png").symlink_to(tmp_path / "private.png")
        assert person.get(f"/outbox/{MESSAGE}/files/link.png").status_code == 404


class TestDrawing:
    def test_a_step_stands_to_the_right_of_all_it_needs(self) -> None:
        at = {node.step: node for node in graph(plan_of("any", "any")).nodes}
        assert at["query"].x < at["kpis"].x < at["chart"].x < at["report"].x < at["post"].x

    def test_the_newest_run_is_on_the_right(self) -> None:
        drawn = spark([RunState.FAILED, RunState.SUCCEEDED], 30)
        assert drawn.paths["failed"].startswith("M145 ")
        assert drawn.words == "1 failed, 1 succeeded"
        assert spark([], 30).words == "no runs yet"
