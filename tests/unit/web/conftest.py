"""A furnished house, with a door for whoever has a token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from daemon.web.application import build
from tests.house import OPERATOR, READER, House

_KEY = re.compile(r'name="form_key" value="([0-9a-f]*)"')


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path).furnish()


@pytest.fixture
def stranger(house: House) -> Iterator[TestClient]:
    """Nobody has let them in."""
    with client(house) as visitor:
        yield visitor


@pytest.fixture
def operator(house: House) -> Iterator[TestClient]:
    """A program with the operator's token."""
    with client(house, {"authorization": f"Bearer {OPERATOR}"}) as program:
        yield program


@pytest.fixture
def reader(house: House) -> Iterator[TestClient]:
    with client(house, {"authorization": f"Bearer {READER}"}) as program:
        yield program


@pytest.fixture
def person(house: House) -> Iterator[TestClient]:
    """An operator in front of a browser."""
    with client(house) as browser:
        yield entered(browser, OPERATOR)


def client(house: House, headers: dict[str, str] | None = None) -> TestClient:
    return TestClient(build(house.site), follow_redirects=False, raise_server_exceptions=False, headers=headers)


def entered(browser: TestClient, token: str, name: str = "ada") -> TestClient:
    key = form_key(browser.get("/login").text)
    answer = browser.post("/login", data={"form_key": key, "token": token, "name": name, "to": "/"})
    assert answer.status_code == 303, answer.text
    return browser


def form_key(page: str) -> str:
    found = _KEY.search(page)
    assert found, page
    return found[1]


def submit(browser: TestClient, page: str, address: str, **fields: str) -> tuple[int, str]:
    """A form of that page; the status and where it leads."""
    key = form_key(browser.get(page).text)
    answer = browser.post(address, data={"form_key": key, **fields})
    return answer.status_code, answer.headers.get("location", "")
