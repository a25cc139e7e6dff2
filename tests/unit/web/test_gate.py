"""No token, no entry; a token that may look cannot act; and what every answer carries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount, Route
from starlette.testclient import TestClient

from daemon.web.application import build
from daemon.web.guard import OPEN_PATHS, Guard
from daemon.web.passes import Passes, Role, Tokens
from tests.house import OPERATOR, READER, House
from tests.unit.web.conftest import client, entered, form_key

pytestmark = pytest.mark.slow

OPEN = {*OPEN_PATHS, "/trigger/{job}", "/slack/interactions"}


def routes() -> Iterator[tuple[str, str]]:
    """Every method of every route, as the application itself lists them."""
    gate = build(House(Path("/nowhere")).site)
    assert isinstance(gate.application, FastAPI)
    return listed(gate.application.routes)


def listed(some: Sequence[BaseRoute]) -> Iterator[tuple[str, str]]:
    for route in some:
        if isinstance(route, Mount):
            assert route.path == "/static"
        elif isinstance(route, Route):
            yield from ((method, route.path) for method in sorted(route.methods or ()))
        else:
            yield from listed(vars(route)["original_router"].routes)


GUARDED = [pair for pair in routes() if pair[1] not in OPEN]


def address(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "x", path)


ACTING = [pair for pair in GUARDED if pair[0] not in {"GET", "HEAD"}]


def test_there_are_routes_to_guard() -> None:
    assert len(GUARDED) > 30
    assert len(ACTING) > 10


def test_no_route_works_without_a_token(stranger: TestClient) -> None:
    answers = {pair: stranger.request(pair[0], address(pair[1])) for pair in GUARDED}
    assert {pair: answer.status_code for pair, answer in answers.items() if answer.status_code != 401} == {}
    assert not any("set-cookie" in answer.headers for answer in answers.values())


def test_who_may_look_cannot_act(reader: TestClient, house: House) -> None:
    before = house.asks.deeds()
    answers = {pair: reader.request(pair[0], address(pair[1])).status_code for pair in ACTING}
    assert {pair: status for pair, status in answers.items() if status != 403 and pair[1] != "/logout"} == {}
    assert house.asks.deeds() == before


def test_a_session_acts_only_with_the_key_of_its_form(person: TestClient, house: House) -> None:
    before = house.asks.deeds()
    for fields in ({}, {"form_key": "0" * 64}, {"form_key": "\udcff"}):
        answers = {
            pair: person.request(pair[0], address(pair[1]), content=urlencode(fields, errors="replace"))
            for pair in ACTING
        }
        assert {pair: answer.status_code for pair, answer in answers.items() if answer.status_code != 403} == {}
    assert house.asks.deeds() == before


def test_a_wrong_token_is_none(stranger: TestClient) -> None:
    for value in ("Bearer", "Bearer wrong", f"Basic {OPERATOR}", f"Bearer {OPERATOR}x", "Bearer \xff", OPERATOR):
        answer = stranger.get("/api/v1/jobs", headers=[(b"authorization", value.encode("latin-1"))])
        assert answer.status_code == 401, value


def test_no_spelling_of_an_address_gets_around_the_gate(stranger: TestClient) -> None:
    for path in ("/", "/../", "//", "/api/v1/../../", "/static/../api/v1/jobs", "/login/", "/healthz/x", "/LOGIN"):
        assert stranger.get(path).status_code in {401, 404}, path


def test_a_form_key_of_another_session_is_refused(house: House, person: TestClient) -> None:
    other = entered(client(house), OPERATOR, "grace")
    key = form_key(other.get("/jobs/fx_rates").text)
    assert person.post("/jobs/fx_rates/run", data={"form_key": key}).status_code == 403


def test_a_form_from_another_site_is_refused(person: TestClient) -> None:
    key = form_key(person.get("/jobs/fx_rates").text)
    answer = person.post("/jobs/fx_rates/run", data={"form_key": key}, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


class TestDoor:
    def test_a_browser_is_sent_to_the_door_and_back(self, stranger: TestClient) -> None:
        answer = stranger.get("/jobs/fx_rates", headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/login?to=/jobs/fx_rates")
        key = form_key(stranger.get("/login?to=/jobs/fx_rates").text)
        entry = stranger.post("/login", data={"form_key": key, "token": READER, "to": "/jobs/fx_rates"})
        assert (entry.status_code, entry.headers["location"]) == (303, "/jobs/fx_rates")
        cookie = entry.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=lax", "path=/"))
        assert stranger.get("/jobs/fx_rates").status_code == 200

    @pytest.mark.parametrize("to", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
    def test_it_leads_nowhere_else(self, stranger: TestClient, to: str) -> None:
        key = form_key(stranger.get("/login", params={"to": to}).text)
        assert stranger.post("/login", data={"form_key": key, "token": READER, "to": to}).headers["location"] == "/"

    def test_a_wrong_token_stays_outside(self, stranger: TestClient) -> None:
        key = form_key(stranger.get("/login").text)
        answer = stranger.post("/login", data={"form_key": key, "token": "wrong"})
        assert (answer.status_code, "That token is not the one" in answer.text) == (403, True)
        assert stranger.get("/").status_code == 401

    def test_the_cookie_is_for_https_only_where_https_is(self, stranger: TestClient) -> None:
        key = form_key(stranger.get("/login").text)
        headers = {"x-forwarded-proto": "https"}
        answer = stranger.post("/login", data={"form_key": key, "token": READER}, headers=headers)
        assert "secure" in answer.headers["set-cookie"].lower()

    def test_who_leaves_is_outside(self, person: TestClient) -> None:
        key = form_key(person.get("/").text)
        assert person.post("/logout", data={"form_key": key}).status_code == 303
        assert person.get("/").status_code == 401


class TestPasses:
    def test_a_changed_token_ends_every_session(self) -> None:
        tokens = [Tokens("reader", "operator")]
        passes = Passes(lambda: tokens[-1])
        holder = passes.by_token("operator", "  ada \n lovelace ")
        assert holder
        session, key = passes.open(holder), passes.form_key("seed")
        assert passes.by_session(session) == type(holder)(Role.OPERATOR, "ada lovelace", session)
        tokens.append(Tokens("reader", "another"))
        assert (passes.by_session(session), passes.is_form_key("seed", key)) == (None, False)

    def test_a_token_that_is_not_set_lets_nobody_in(self) -> None:
        passes = Passes(lambda: Tokens("", "operator"))
        assert passes.by_token("") is None

    def test_a_session_that_somebody_else_signed_is_none(self) -> None:
        forged = Passes(lambda: Tokens("a", "b"))
        holder = forged.by_token("b")
        assert holder
        assert Passes(lambda: Tokens("a", "c")).by_session(forged.open(holder)) is None


def test_every_answer_is_dressed(operator: TestClient) -> None:
    for path in ("/", "/login", "/healthz", "/nothing", "/api/v1/jobs", "/api/v1/nothing", "/static/no"):
        _expect_dressed(operator.get(path).headers)


def _expect_dressed(headers: Mapping[str, str]) -> None:
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["cache-control"] == "no-store"


def test_our_own_defect_shows_nothing_and_is_dressed(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.jobs = None  # type: ignore[assignment]
    answer = client(house, {"authorization": f"Bearer {OPERATOR}"}).get("/api/v1/jobs")
    assert (answer.status_code, answer.json()) == (
        500,
        {"detail": "this is a defect of ours; the daemon's log says more"},
    )
    assert "content-security-policy" in answer.headers
    assert "GET /api/v1/jobs failed" in caplog.text


def test_a_request_that_is_too_long_is_not_read(operator: TestClient) -> None:
    answer = operator.post("/api/v1/jobs/fx_rates/pause", content=b" " * 300_000)
    assert answer.status_code == 413


def test_metrics_are_open_where_that_is_asked_for(house: House, stranger: TestClient) -> None:
    assert stranger.get("/metrics").status_code == 401
    house.open_metrics = True
    assert client(house).get("/metrics").text == "clockwright_runs_total 1\n"


def test_health_is_open_and_says_what_is_wrong(house: House, stranger: TestClient) -> None:
    assert [stranger.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    house.trouble = "the loop has made no turn for 90 s"
    assert [stranger.get(path).status_code for path in ("/healthz", "/readyz")] == [503, 503]


def test_slack_is_not_answered_until_somebody_does(stranger: TestClient) -> None:
    assert stranger.post("/slack/interactions").status_code == 404


def test_the_gate_is_the_outermost(house: House) -> None:
    assert isinstance(build(house.site), Guard)
