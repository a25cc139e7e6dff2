"""The page in a real Chromium: every page, answering, live news, the dark, the phone, the keyboard, without scripts."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from daemon.adapters.sql import SqlQueries, open_store
from daemon.domain.events import RunEnded
from daemon.domain.model import RunState
from daemon.ports import Change
from tests.house import COMPANY, NOW, House
from tests.system.web.conftest import Visit, serving, visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MESSAGE = "/outbox/6bcdd7e76afd57c2"


def newest(house: House, job: str) -> str:
    return house.asks.runs(job, limit=1)[0].id


def pages(house: House) -> list[str]:
    runs = [f"/runs/{newest(house, job)}" for job in ("daily_sales_report", "churn_features", "hourly_stock_sync")]
    asking = f"/runs/{newest(house, 'invoice_reminders')}"
    lists = ["/", "/runs", "/inbox", "/tools", "/outbox", MESSAGE, "/audit"]
    return [*lists, "/jobs/daily_sales_report", "/jobs/supplier_feed", *runs, asking]


def faults(visit: Visit, rules: Sequence[str] = RULES, kind: str = "tag") -> list[str]:
    """What axe finds on the page, and what the browser complained about."""
    found = Axe().run(visit.page, options={"runOnly": {"type": kind, "values": [*rules]}})
    broken = [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found.response["violations"]]
    return broken + visit.complaints


def test_every_page_is_accessible_and_nothing_complains(house: House, visit: Visit) -> None:
    for path in pages(house):
        visit.go(path)
        assert faults(visit) == [], path


def test_every_page_can_be_read_in_the_dark(house: House, base: str, chromium: Browser) -> None:
    with visiting(chromium, base, color_scheme="dark") as visit:
        for path in pages(house):
            visit.go(path)
            ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert max(map(int, re.findall(r"\d+", ground))) < 64
            assert faults(visit, ["color-contrast"], "rule") == [], path


def test_every_page_fits_a_phone(house: House, base: str, chromium: Browser) -> None:
    with visiting(chromium, base, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True) as visit:
        for path in pages(house):
            page = visit.go(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert visit.complaints == []


def test_an_escalation_is_answered(house: House, visit: Visit) -> None:
    [row] = house.asks.escalations()
    page = visit.go("/")
    page.click("text=asks you")
    expect(page.locator(".ask")).to_have_text(row.question)
    page.click("text=Change an input before the retry")
    page.fill(f"[id='i-{row.id}-channel']", "#elsewhere")
    page.click("button:has-text('Retry')")
    expect(page.locator(".flash")).to_contain_text("Your answer is noted")
    [message] = house.store.messages(row.run)
    assert (message.by, message.body["option"], message.body["changes"]) == ("ada", "retry", {"channel": "#elsewhere"})
    expect(visit.go("/audit").locator("tbody tr").first).to_contain_text("answer")


def test_the_keyboard_is_enough(house: House, visit: Visit) -> None:
    """From the first Tab to an abort that is confirmed, without a mouse."""
    page = visit.go("/inbox")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.locator(":focus").inner_text().startswith("Abort"):
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Yes, abort")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_be_visible()
    [row] = house.asks.escalations()
    assert [message.body["option"] for message in house.store.messages(row.run)] == ["abort"]


def test_without_scripts_everything_is_read_and_done(house: House, base: str, chromium: Browser) -> None:
    with visiting(chromium, base, java_script_enabled=False) as visit:
        for path in pages(house):
            assert len(visit.go(path).locator("main").inner_text()) > 60, path
        page = visit.go("/jobs/fx_rates")
        page.click("#run-now")
        expect(page.locator(".flash")).to_have_text("This is the run.")
        page.click("button:has-text('Leave')")
        assert page.url.endswith("/login")


def test_a_run_is_seen_to_end_without_a_reload(house: House, visit: Visit) -> None:
    run = house.store.load(newest(house, "hourly_stock_sync"))
    page = visit.go(f"/runs/{run.id}")
    expect(page.locator(".marks .state")).to_have_text("▸running")
    page.evaluate("window.stillHere = true")
    page.click("#step-query summary")
    page.wait_for_timeout(300)  # until the stream of events is open
    ended = replace(run, version=run.version + 1, sequence=run.sequence + 1, state=RunState.SUCCEEDED, ended_at=NOW)
    event = RunEnded(NOW, RunState.SUCCEEDED, "")
    house.store.commit(Change(run, ended, (event,)))
    house.live.emit(ended, event)
    expect(page.locator(".marks .state")).to_have_text("✓succeeded")
    assert page.evaluate("window.stillHere")
    expect(page.locator("#step-query details[open]")).to_be_visible()
    assert visit.complaints == []


def test_200_jobs_and_5000_runs_are_one_light_page(tmp_path: Path, chromium: Browser) -> None:
    """The page's weight grows with the jobs alone; how fast it comes is a figure in `benchmarks`."""
    store = open_store(tmp_path / "state.db")
    house, dice = House(tmp_path, store, SqlQueries(store.database)), random.Random(1)
    for number in range(200):
        sketch = replace(COMPANY[number % len(COMPANY)], id=f"job_{number:03}", last=RunState.SUCCEEDED)
        house.add(sketch, dice, 25)
    with serving(house) as base, visiting(chromium, base) as visit:
        page = visit.go("/")
        expect(page.locator("tbody tr")).to_have_count(200)
        assert len(page.content()) < 400_000
        page.fill("#q", "job_111")
        page.keyboard.press("Enter")
        expect(page.locator("tbody tr")).to_have_count(1)
        page = visit.go("/runs")
        page.click("text=Older")
        expect(page.locator("tbody tr")).to_have_count(50)
        assert visit.complaints == []
    store.close()
