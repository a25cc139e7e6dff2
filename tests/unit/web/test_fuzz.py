"""Whatever is sent: no answer of ours says 5xx, and none holds a secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.house import OPERATOR, PLANTED, READER, TRIGGER_SECRET, House
from tests.unit.web.conftest import client, entered, form_key

pytestmark = pytest.mark.slow

ODD = [
    "",
    ".",
    "..",
    "../..",
    "\0",
    "%00",
    "\ud800",
    "💥" * 50,
    "x" * 5000,
    "'; drop table runs; --",
    "<script>",
    "-1",
    "NaN",
]
TEXT = st.sampled_from(ODD) | st.text(max_size=40)
PATHS = st.sampled_from(
    ["/jobs/{}", "/runs/{}", "/runs/{}/files/{}", "/outbox/{}", "/outbox/{}/{}", "/api/v1/runs/{}", "/api/v1/jobs/{}",
     "/api/v1/jobs/{}/ledger", "/static/{}", "/trigger/{}", "/x{}"]
)  # fmt: skip
FORMS = st.sampled_from(
    ["/pause", "/resume", "/jobs/fx_rates/run", "/jobs/fx_rates/pause", "/jobs/{}/resume",
     "/runs/{}/retry", "/runs/{}/cancel", "/inbox/{}",
     "/login"]
)  # fmt: skip
FIELDS = st.sampled_from(
    ["date", "dry_run", "why", "hours", "option", "digest", "input:channel", "send", "token", "name", "to", "form_key"]
)
QUERIES = st.sampled_from(["q", "only", "job", "state", "before", "limit", "days", "to", "done", "closed", "run"])
PAGES = st.sampled_from(["/", "/runs", "/audit", "/login", "/inbox", "/api/v1/runs", "/api/v1/audit"])
HEADERS = st.sampled_from(
    ["authorization", "cookie", "accept", "x-clockwright-name", "idempotency-key", "x-clockwright-timestamp",
     "x-clockwright-signature", "x-forwarded-proto", "sec-fetch-site", "content-type", "host"]
)  # fmt: skip
NEARLY_JSON = st.dictionaries(
    st.sampled_from(["date", "why", "until", "option", "changes", "digest", "x"]),
    st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | TEXT, st.lists),
).map(lambda value: json.dumps(value).encode())
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One house for all, so that what one request leaves behind meets the next."""
    folder: Path = tmp_path_factory.mktemp("house")
    with client(House(folder).furnish(4)) as browser:
        yield entered(browser, OPERATOR)


def expect_decent(answer: object) -> None:
    status, text = answer.status_code, answer.text  # type: ignore[attr-defined]
    assert status < 500, text
    for secret in (PLANTED, OPERATOR, READER, TRIGGER_SECRET):
        assert secret not in text


def encoded(text: str) -> str:
    return quote(text.encode(errors="surrogatepass"), safe="")


@FEW
@given(path=PATHS, parts=st.tuples(TEXT, TEXT))
def test_any_path(visited: TestClient, path: str, parts: tuple[str, str]) -> None:
    address = path.format(*map(encoded, parts))
    expect_decent(visited.get(address))
    expect_decent(visited.post(address))


@FEW
@given(page=PAGES, query=st.dictionaries(QUERIES, TEXT, max_size=4))
def test_any_query(visited: TestClient, page: str, query: dict[str, str]) -> None:
    written = "&".join(f"{encoded(name)}={encoded(value)}" for name, value in query.items())
    expect_decent(visited.get(f"{page}?{written}"))


@FEW
@given(address=FORMS, name=TEXT, fields=st.dictionaries(FIELDS, TEXT, max_size=5), keyed=st.booleans())
def test_any_form(visited: TestClient, address: str, name: str, fields: dict[str, str], keyed: bool) -> None:
    key = {"form_key": form_key(visited.get("/inbox").text)} if keyed else {}
    written = "&".join(f"{encoded(field)}={encoded(value)}" for field, value in {**fields, **key}.items())
    expect_decent(visited.post(address.format(encoded(name)), content=written))


@FEW
@given(page=PAGES, headers=st.dictionaries(HEADERS, st.binary(max_size=60), max_size=4))
def test_any_header(visited: TestClient, page: str, headers: dict[str, bytes]) -> None:
    clean = [(name.encode(), value.translate(None, b"\r\n\0")) for name, value in headers.items()]
    expect_decent(visited.get(page, headers=clean))
    expect_decent(visited.post("/trigger/fx_rates", headers=clean))


@FEW
@given(
    body=st.binary(max_size=200)
    | st.recursive(st.none() | st.text(), st.lists).map(lambda v: repr(v).encode(errors="replace"))
)
def test_any_body(visited: TestClient, body: bytes) -> None:
    bearer = {"authorization": f"Bearer {OPERATOR}"}
    for address in (
        "/api/v1/jobs/fx_rates/run",
        "/api/v1/jobs/fx_rates/pause",
        "/api/v1/escalations/x/answer",
        "/login",
    ):
        expect_decent(visited.post(f"/api/v1/{address}", content=body, headers=bearer))
