"""A real browser in front of a real server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from daemon.web.application import build
from daemon.web.server import Server
from tests.house import OPERATOR, House

Serve = Callable[[House], str]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        reason = "there is no Chromium on the path"
        if os.environ.get("REQUIRE_REAL") == "1":
            pytest.fail(f"REQUIRE_REAL=1, and {reason}")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def serving(house: House) -> Iterator[str]:
    """The address of a page over that house."""
    server = Server(build(house.site), "127.0.0.1", 0)
    port = server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


@dataclass
class Visit:
    """One tab of somebody who has entered; what goes wrong in it is kept."""

    page: Page
    base: str
    complaints: list[str]

    def go(self, path: str) -> Page:
        answer = self.page.goto(self.base + path)
        assert answer is not None
        assert answer.ok, f"{path}: {answer.status}"
        return self.page


@contextmanager
def visiting(chromium: Browser, base: str, **options: Any) -> Iterator[Visit]:
    context: BrowserContext = chromium.new_context(**options)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("request", lambda asked: None if asked.url.startswith(base) else complaints.append(f"asks {asked.url}"))
    page.goto(f"{base}/login")
    page.fill("#token", OPERATOR)
    page.fill("#name", "ada")
    page.click("main button")
    try:
        yield Visit(page, base, complaints)
    finally:
        context.close()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path).furnish(30)


@pytest.fixture
def base(house: House) -> Iterator[str]:
    with serving(house) as address:
        yield address


@pytest.fixture
def visit(chromium: Browser, base: str) -> Iterator[Visit]:
    with visiting(chromium, base) as made:
        yield made
